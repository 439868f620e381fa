// What a link is, in one line.
import { h } from './dom.js';
import {
  isDefault,
  isVariant,
  languageName,
  mediaName,
  placeName,
  roleName,
  typeTitle,
} from './words.js';
import { windowInWords } from './model.js';
import { listed, t } from './texts.js';

export const kindOf = (link) =>
  isDefault(link.linkType) ? 'default' : isVariant(link.linkType) ? 'variant' : 'link';

/** The title, whom the link is for, and its address. */
export function summary(link) {
  const tags = [
    listed(link.hreflang.map(languageName)),
    listed(link.context.map(placeName)),
    link.type && mediaName(link.type),
    link.access.length && t('link.only_roles', { roles: listed(link.access.map(roleName)) }),
    windowInWords(link),
  ].filter(Boolean);
  return [
    h('span', { class: 'card-title' }, headline(link)),
    tags.map((text) => h('span', { class: 'tag' }, text)),
    h(
      'span',
      { class: 'card-target' },
      link.href
        ? [link.title && `${link.title} · `, h('span', { class: 'address' }, link.href)]
        : t('link.no_address'),
    ),
  ];
}

function headline(link) {
  if (isDefault(link.linkType))
    return link.validFrom || link.validUntil ? t('link.timed') : t('link.always');
  if (isVariant(link.linkType))
    return link.hreflang.length || link.context.length || link.type
      ? t('link.for')
      : t('link.for_whom');
  return link.linkType ? typeTitle(link.linkType) : t('link.untyped');
}
