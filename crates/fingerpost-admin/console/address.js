// Addresses of pages that were typed without `https://`, as browsers show them.
import { button } from './dom.js';
import { t } from './texts.js';

/** The address with `https://`, if that is all that is missing; else nothing. */
export function withScheme(text) {
  const typed = text.trim().replace(/^(https?:)?\/\//i, '');
  const hasScheme = /^https?:\/\//i.test(text.trim());
  return !hasScheme && /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?([/?#]\S*)?$/u.test(typed)
    ? `https://${typed}`
    : undefined;
}

/** Offers the address with `https://` when one leaves a field where it is missing; `also` is called once it is taken. Gives what to say in a fault. */
export function offerScheme(field, also = () => {}) {
  const { control } = field;
  const offered = () => {
    const whole = withScheme(control.value);
    const take = () => {
      control.value = whole;
      field.fault();
      control.dispatchEvent(new Event('input', { bubbles: true }));
      control.dispatchEvent(new Event('change', { bubbles: true }));
      also();
      control.focus();
    };
    return (
      whole &&
      button(t('link.use_address', { address: whole }), take, {
        kind: 'link',
        id: `${control.id}-scheme`,
      })
    );
  };
  control.addEventListener('change', () => {
    const use = offered();
    if (use) field.fault(t('link.https'), ' ', use);
  });
  return offered;
}
