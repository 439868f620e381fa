// Who is signed in, and what they may do. The server decides; this only keeps from offering what it would refuse.

let current;
export const session = () => current;
export function setSession(data) {
  current = data;
}

const VERB = { reader: 'read', editor: 'write', approver: 'approve', admin: 'admin' };

/** The rights of the person: [{organisation, organisationName, role, verbs}]. */
export function rights() {
  return current?.rights ?? [];
}

/** Does this right include the role? */
export const mayIn = (right, role) => right.verbs.includes(VERB[role]);

/** Has the person this role anywhere? */
export function may(role) {
  return rights().some((one) => mayIn(one, role));
}

/** Has the person this role over the whole installation? */
export function mayEverywhere(role) {
  return rights().some((one) => !one.organisation && mayIn(one, role));
}
