// One link as a card: a line in words when closed, its fields when open.
import { append, button, field, h, icon, input, put, unique } from './dom.js';
import { offerScheme } from './address.js';
import { tags } from './tags.js';
import { pickType } from './type-picker.js';
import {
  isDefault,
  isVariant,
  VARIANT,
  languageName,
  languageTag,
  LANGUAGES,
  MEDIA,
  placeName,
  typeTitle,
  curie,
  roleName,
} from './words.js';
import { describing, lacksDescription, languagesWithout, newLink } from './model.js';
import { kindOf, summary } from './link-summary.js';
import { listed, t } from './texts.js';

/** `form`: {links, changed(structure), moved(link, step), removed(link), contexts, roles}. */
export function linkCard(link, form, { open = false } = {}) {
  const id = `link-${link.id}`;
  const fields = {};
  let offered = () => undefined;
  const timed = Boolean(link.validFrom || link.validUntil);
  const body = h('div', { class: 'card-body', id: `${id}-fields`, hidden: !open });
  const line = h('span', { class: 'card-line' });
  const toggle = h(
    'button',
    {
      type: 'button',
      class: 'card-toggle',
      id: `${id}-open`,
      'aria-expanded': String(open),
      'aria-controls': body.id,
      on: { click: () => expand(body.hidden) },
    },
    icon('down'),
    line,
  );
  const tools = h('div', { class: 'card-tools' });
  const own = h('p', { class: 'error', hidden: true, id: `${id}-error`, tabindex: '-1' });
  const root = h(
    'li',
    { class: 'card', id, data: { kind: kindOf(link) } },
    h('div', { class: 'card-head' }, toggle, tools),
    own,
    body,
  );

  function expand(yes) {
    body.hidden = !yes;
    toggle.setAttribute('aria-expanded', String(yes));
    root.classList.toggle('opened', yes);
  }

  const changed = () => {
    draw();
    form.changed();
  };

  function draw() {
    put(line, ...summary(link));
    root.dataset.kind = kindOf(link);
    alsoNote();
    campaignNote();
  }

  /** What readers of other languages get while a page for a time applies, and a way to give them one. */
  const campaign = h('div', { class: 'wide', role: 'status' });
  function campaignNote() {
    if (!isDefault(link.linkType) || !timed) return;
    const tags = languagesWithout(link, form.links());
    if (campaign.dataset.tags === tags.join(' ')) return;
    campaign.dataset.tags = tags.join(' ');
    const page = (tag) =>
      newLink({
        linkType: VARIANT,
        hreflang: [tag],
        validFrom: link.validFrom,
        validUntil: link.validUntil,
        title: form.links().find((one) => isVariant(one.linkType) && one.hreflang.includes(tag))
          ?.title,
      });
    put(
      campaign,
      tags.length
        ? [
            h(
              'p',
              { class: 'hint', id: `${id}-readers` },
              t('link.readers', { languages: listed(tags.map(languageName)) }),
            ),
            h(
              'div',
              { class: 'actions' },
              tags.map((tag) =>
                button(
                  t('link.page_in', { language: languageName(tag) }),
                  () => form.add(page(tag)),
                  { icon: 'plus', kind: 'quiet', id: `${id}-for-${tag}` },
                ),
              ),
            ),
          ]
        : h('p', { class: 'hint' }, t('link.no_variants')),
    );
  }

  const also = h('div', { class: 'also wide' });
  function alsoNote() {
    if (!isDefault(link.linkType) && !isVariant(link.linkType)) return;
    const lacks = lacksDescription(link, form.links());
    if (lacks && !also.querySelector('button')) put(also, alsoField());
    else if (!lacks) {
      const others = describing(link, form.links());
      put(
        also,
        others.length > 0 &&
          h(
            'p',
            { class: 'soft' },
            t('link.listed_as', {
              types: listed([...new Set(others.map((other) => typeTitle(other.linkType)))]),
            }),
          ),
      );
    }
  }
  function alsoField() {
    const shown = h('span', {});
    const choose = button(
      undefined,
      async () => {
        const type = await pickType(link.also);
        if (type) {
          link.also = type;
          name();
          changed();
        }
      },
      { id: `${id}-also`, describedby: `${id}-also-hint` },
    );
    const name = () => {
      put(shown, typeTitle(link.also));
      choose.setAttribute('aria-label', t('link.this_page_is', { type: typeTitle(link.also) }));
    };
    choose.append(shown, icon('down'));
    name();
    return h(
      'div',
      { class: 'field' },
      h('span', { class: 'label' }, t('link.this_page')),
      h('p', { class: 'hint', id: `${id}-also-hint` }, t('link.this_page_hint')),
      choose,
    );
  }

  function text(member, options) {
    const control = input({
      id: `${id}-${options.id}`,
      name: options.id,
      value: link[member],
      inputmode: options.inputmode,
      placeholder: options.placeholder,
      list: options.list,
      spellcheck: options.prose ? 'true' : 'false',
      autocapitalize: options.prose ? 'sentences' : 'none',
      dir: options.prose ? 'auto' : 'ltr',
    });
    control.addEventListener('input', () => {
      link[member] = control.value;
      fields[member].fault();
      changed();
    });
    fields[member] = field({
      label: options.label,
      hint: options.hint,
      control,
      wide: options.wide,
      optional: options.optional,
    });
    return fields[member].root;
  }

  function address() {
    const root = text('href', {
      id: 'href',
      label: t('link.address'),
      inputmode: 'url',
      placeholder: 'https://',
      wide: true,
    });
    const { control } = fields.href;
    offered = offerScheme(fields.href);
    let before = control.value.trim();
    const follow = h('p', { class: 'hint follow', role: 'status' });
    control.addEventListener('change', () => {
      const now = control.value.trim();
      const links = form.links();
      const twins =
        isDefault(link.linkType) || isVariant(link.linkType)
          ? links.filter(
              (other) =>
                other !== link &&
                !isDefault(other.linkType) &&
                !isVariant(other.linkType) &&
                other.href.trim() === before,
            )
          : [];
      const shared = links.some(
        (other) =>
          other !== link &&
          (isDefault(other.linkType) || isVariant(other.linkType)) &&
          other.href.trim() === before,
      );
      put(follow);
      if (before && now && before !== now && twins.length && !shared) {
        const old = before;
        for (const twin of twins) form.setAddress(twin, now);
        put(
          follow,
          t('link.follows', { types: listed(twins.map((twin) => typeTitle(twin.linkType))) }),
          ' ',
          button(
            t('link.keep_old'),
            () => {
              for (const twin of twins) form.setAddress(twin, old);
              put(follow);
              changed();
            },
            { kind: 'quiet' },
          ),
        );
        changed();
      }
      if (now) before = now;
    });
    root.append(follow);
    return root;
  }

  function typeField() {
    const shown = h('span', {});
    const code = h('code', {});
    const choose = button(
      undefined,
      async () => {
        const type = await pickType(link.linkType);
        if (!type) return;
        link.linkType = type;
        name();
        changed();
      },
      { id: `${id}-type` },
    );
    const name = () => {
      put(shown, typeTitle(link.linkType));
      put(code, curie(link.linkType));
      choose.setAttribute(
        'aria-label',
        t('link.leads_to_type', { type: `${typeTitle(link.linkType)} ${curie(link.linkType)}` }),
      );
    };
    choose.append(shown, ' ', code, icon('down'));
    name();
    fields.linkType = field({ label: t('link.leads_to'), control: choose });
    return fields.linkType.root;
  }

  function audience() {
    const languages = tags({
      id: `${id}-languages`,
      label: t('common.languages'),
      hint: t('link.languages_hint'),
      values: link.hreflang,
      offered: LANGUAGES,
      named: languageName,
      changed,
      read: (typed) => languageTag(typed) ?? typed,
    });
    const places = form.contexts;
    const contexts = tags({
      id: `${id}-contexts`,
      label: t('link.markets'),
      hint: t('link.markets_hint'),
      values: link.context,
      offered: places,
      named: placeName,
      changed,
      read: (typed) =>
        places.find((one) => placeName(one).toLowerCase() === typed.toLowerCase()) ?? typed,
    });
    fields.hreflang = languages;
    fields.context = contexts;
    return [languages.root, contexts.root];
  }

  /** Who may see the link; nothing where no roles are declared. */
  function access() {
    if (isVariant(link.linkType) || !(form.roles.length || link.access.length)) return null;
    fields.access = tags({
      id: `${id}-access`,
      label: t('link.roles'),
      hint: t('link.roles_hint'),
      values: link.access,
      offered: form.roles,
      named: roleName,
      changed,
      read: (typed) =>
        form.roles.find((one) => roleName(one).toLowerCase() === typed.toLowerCase()) ?? typed,
    });
    return fields.access.root;
  }

  function media() {
    const options = h(
      'datalist',
      { id: unique('media') },
      MEDIA.map(([value, name]) => h('option', { value }, name)),
    );
    return [
      text('type', {
        id: 'media',
        label: t('link.file_type'),
        hint: t('link.file_type_hint'),
        list: options.id,
        optional: true,
      }),
      options,
    ];
  }

  function instant(member, idPart, label, hint) {
    const control = h('input', {
      type: 'datetime-local',
      id: `${id}-${idPart}`,
      name: idPart,
      value: local(link[member]),
    });
    control.addEventListener('input', () => {
      const before = link[member];
      const now = control.value ? new Date(control.value).toISOString().replace('.000', '') : '';
      // The pages of a campaign in other languages have its dates.
      const alike =
        isDefault(link.linkType) && before
          ? form
              .links()
              .filter(
                (other) =>
                  isVariant(other.linkType) &&
                  other.validFrom === link.validFrom &&
                  other.validUntil === link.validUntil,
              )
          : [];
      for (const other of alike) form.setTime(other, member, now);
      link[member] = now;
      changed();
    });
    fields[member] = field({ label, hint, control, optional: true });
    return fields[member].root;
  }

  const times = () => [
    instant(
      'validFrom',
      'from',
      t('common.from'),
      t('link.time_zone', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    ),
    instant('validUntil', 'until', t('common.until'), t('link.until_hint')),
  ];
  const more = isDefault(link.linkType)
    ? h('div', { class: 'grid' }, timed && [times(), campaign])
    : h(
        'details',
        { class: 'more', open: timed || Boolean(link.type) || link.access.length > 0 },
        h('summary', { id: `${id}-more` }, t('link.more')),
        h('div', { class: 'grid' }, times(), media(), access()),
      );
  append(body, [
    h(
      'div',
      { class: 'grid' },
      isDefault(link.linkType) || isVariant(link.linkType) ? null : typeField(),
      address(),
      text('title', {
        id: 'title',
        label: t('common.title'),
        hint: t('link.title_hint'),
        prose: true,
        wide: true,
      }),
      isDefault(link.linkType) ? null : audience(),
      also,
    ),
    more,
  ]);

  append(tools, [
    button(undefined, () => form.moved(link, -1), {
      kind: 'quiet',
      icon: 'up',
      label: t('link.up'),
      id: `${id}-up`,
    }),
    button(undefined, () => form.moved(link, 1), {
      kind: 'quiet',
      icon: 'down',
      label: t('link.down'),
      id: `${id}-down`,
    }),
    button(undefined, () => form.removed(link), {
      kind: 'quiet',
      icon: 'bin',
      label: t('link.remove'),
      id: `${id}-remove`,
    }),
  ]);
  draw();
  expand(open);

  return {
    root,
    draw,
    expand,
    body,
    focus(member = 'href') {
      expand(true);
      if (fields[member]?.control.closest('details')) more.open = true;
      (fields[member]?.control ?? toggle).focus();
    },
    setTime(member, value) {
      link[member] = value;
      if (fields[member]) fields[member].control.value = local(value);
      draw();
    },
    setAddress(href) {
      link.href = href;
      fields.href.control.value = href;
      draw();
    },
    clearFaults() {
      own.hidden = true;
      put(own);
      for (const one of Object.values(fields)) one.fault();
      root.classList.remove('faulty');
    },
    fault(member, ...message) {
      root.classList.add('faulty');
      expand(true);
      if (fields[member]) {
        if (NEEDED[member] && !link[member].trim()) message = [NEEDED[member]];
        if (fields[member].control.closest('details')) more.open = true;
        const use = member === 'href' && offered();
        fields[member].fault(...message, use && [' ', use]);
        return fields[member].control;
      }
      own.hidden = false;
      append(own, [h('span', { class: 'line' }, icon('warning'), h('span', {}, ...message))]);
      return own;
    },
  };
}

const NEEDED = { href: t('link.address_needed'), title: t('link.title_needed') };

/** An instant as a datetime-local field shows it. */
function local(instant) {
  const date = new Date(instant);
  if (!instant || Number.isNaN(date.getTime())) return '';
  const at = new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString();
  return at.endsWith(':00.000Z') ? at.slice(0, 16) : at.slice(0, 19);
}
