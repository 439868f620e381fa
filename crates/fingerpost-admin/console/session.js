// Who is signed in, and what they may do. The server decides; this only keeps from offering what it would refuse.

let current;
export const session = () => current;
export function setSession(data) { current = data; }

const ORDER = ['reader', 'editor', 'approver', 'admin'];

/** The roles of the person: [{organisation, organisationName, role}]. */
export function roles() {
  return current?.rights ?? current?.user?.memberships ?? [];
}

/** Has the person this role anywhere? */
export function may(role) {
  return roles().some((one) => ORDER.indexOf(String(one.role).toLowerCase()) >= ORDER.indexOf(role));
}

/** Has the person this role over the whole installation? */
export function mayEverywhere(role) {
  return roles().some((one) => !one.organisation && ORDER.indexOf(String(one.role).toLowerCase()) >= ORDER.indexOf(role));
}
