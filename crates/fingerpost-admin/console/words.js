// The words of the field in plain language: keys, qualifiers, link types, languages, places, media types.

/** Primary keys: what they identify, and the qualifiers that may follow, in the order of GS1 Digital Link URI Syntax 1.4.1. */
export const KEYS = {
  '01': { name: 'GTIN', what: 'Product', qualifiers: ['22', '10', '21', '235'] },
  '00': { name: 'SSCC', what: 'Shipment', qualifiers: [] },
  '253': { name: 'GDTI', what: 'Document', qualifiers: [] },
  '255': { name: 'GCN', what: 'Coupon', qualifiers: [] },
  '401': { name: 'GINC', what: 'Consignment', qualifiers: [] },
  '402': { name: 'GSIN', what: 'Shipment group', qualifiers: [] },
  '414': { name: 'GLN', what: 'Location', qualifiers: ['254', '7040'] },
  '415': { name: 'GLN of the invoicing party', what: 'Invoice', qualifiers: ['8020'] },
  '417': { name: 'Party GLN', what: 'Company', qualifiers: ['7040'] },
  '8003': { name: 'GRAI', what: 'Returnable asset', qualifiers: [] },
  '8004': { name: 'GIAI', what: 'Individual asset', qualifiers: ['7040'] },
  '8006': { name: 'ITIP', what: 'Piece of a product', qualifiers: ['22', '10', '21'] },
  '8010': { name: 'CPID', what: 'Component or part', qualifiers: ['8011'] },
  '8013': { name: 'GMN', what: 'Product model', qualifiers: [] },
  '8017': { name: 'GSRN', what: 'Service provider', qualifiers: ['8019'] },
  '8018': { name: 'GSRN', what: 'Service recipient', qualifiers: ['8019'] },
};

/** Qualifiers: what they narrow a key to. */
export const QUALIFIERS = {
  '22': { name: 'Variant', hint: 'Consumer product variant, AI (22)' },
  '10': { name: 'Batch or lot', hint: 'AI (10)' },
  '21': { name: 'Serial number', hint: 'AI (21)' },
  '235': { name: 'Serial number of a third party', hint: 'TPX, AI (235)' },
  '254': { name: 'Place within the location', hint: 'GLN extension, AI (254)' },
  '7040': { name: 'UIC with extension', hint: 'AI (7040)' },
  '8020': { name: 'Payment slip reference', hint: 'AI (8020)' },
  '8011': { name: 'Serial number', hint: 'CPID serial, AI (8011)' },
  '8019': { name: 'Service relation', hint: 'SRIN, AI (8019)' },
};

/** The parts of a canonical path such as 01/09506000134352/10/ABC: [ai, decoded value]. */
export function parts(key) {
  const cut = key.replace(/^\//, '').split('/');
  const found = [];
  for (let at = 0; at + 1 < cut.length; at += 2) {
    let value = cut[at + 1];
    try { value = decodeURIComponent(value); } catch { /* as it is */ }
    found.push([cut[at], value]);
  }
  return found;
}

/** The element string of a canonical path: (01)09506000134352(10)ABC. */
export function elementString(key) {
  return parts(key).map(([ai, value]) => `(${ai})${value}`).join('');
}

/** A key in words: "Product 09506000134352, batch or lot ABC". */
export function keyInWords(key) {
  return parts(key).map(([ai, value], at) => {
    const name = at === 0 ? KEYS[ai]?.what ?? `(${ai})` : (QUALIFIERS[ai]?.name ?? `(${ai})`).toLowerCase();
    return `${name} ${value}`;
  }).join(', ');
}

export function partName(ai) {
  return KEYS[ai]?.name ?? QUALIFIERS[ai]?.name ?? `(${ai})`;
}

/** Link types by what they are for: name, plain title. What each is for comes from the server's vocabulary. */
const GROUPS = [
  ['About it', { pip: 'Product information page', homepage: 'Home page', relatedImage: 'Picture', relatedVideo: 'Video', backgroundInfo: 'Background story', faqs: 'Questions and answers',
    whatsInTheBox: 'What is in the box', review: 'Reviews', awards: 'Awards', statisticInfo: 'Statistics', smartLabel: 'SmartLabel' }],
  ['Food and ingredients', { ingredientsInfo: 'Ingredients', nutritionalInfo: 'Nutrition facts', allergenInfo: 'Allergens', recipeInfo: 'Recipe', menuInfo: 'Menu' }],
  ['Using and caring for it', { instructions: 'Instructions', quickStartGuide: 'First steps', tutorial: 'Lessons', consumerHandlingStorageInfo: 'Handling and storage', activityIdeas: 'Ideas for using it', appDownload: 'App',
    purchaseSuppliesOrAccessories: 'Supplies and accessories', serviceInfo: 'Service and maintenance', support: 'Help desk', registerProduct: 'Register it', reportFound: 'Report it found' }],
  ['Buying and staying in touch', { hasRetailers: 'Where to buy', promotion: 'Promotion', loyaltyProgram: 'Loyalty scheme', subscribe: 'Subscribe', socialMedia: 'Social media', leaveReview: 'Write a review', paymentLink: 'Payment' }],
  ['Trust and origin', { dpp: 'Digital product passport', sustainabilityInfo: 'Sustainability and recycling', certificationInfo: 'Certificates', traceability: 'Track and trace', safetyInfo: 'Safety', recallStatus: 'Recall status',
    verificationService: 'Verification', registryEntry: 'Register entry', jws: 'Signature' }],
  ['Places and organisations', { locationInfo: 'Where it is', openingHoursInfo: 'Opening hours', scheduleTime: 'Appointments', eventsInfo: 'Events', careersInfo: 'Jobs', userAgreement: 'Agreement to sign' }],
  ['For business partners', { masterData: 'Master data', logisticsInfo: 'Logistics', epcis: 'EPCIS events' }],
  ['Health care', { epil: 'Patient leaflet', eifu: 'Instructions for a medical device', smpc: 'Summary for health professionals', brandHomepagePatient: 'Brand site for patients', brandHomepageClinical: 'Brand site for health professionals' }],
];

export const DEFAULT = 'gs1:defaultLink';
export const VARIANT = 'gs1:defaultLinkMulti';
const NAMES = { defaultLink: 'Where a plain scan goes', defaultLinkMulti: 'Where a plain scan goes, by language or place', handledBy: 'Handed to another resolver' };
const GROUP_OF = new Map();
for (const [group, types] of GROUPS) {
  for (const [local, name] of Object.entries(types)) { NAMES[local] = name; GROUP_OF.set(local, group); }
}
const GS1 = 'https://ref.gs1.org/voc/';

/** `gs1:pip`, whatever spelling of the namespace was used. */
export function curie(type) {
  const found = /^(?:gs1:|https?:\/\/(?:ref\.|www\.)?gs1\.org\/voc\/)(.*)$/.exec(type ?? '');
  return found ? `gs1:${found[1]}` : type ?? '';
}

/** A link type in words. */
export function typeTitle(type) {
  const short = curie(type);
  const local = short.startsWith('gs1:') ? short.slice(4) : undefined;
  if (local === undefined) return short;
  return NAMES[local] ?? spaced(local);
}

function spaced(name) {
  const text = name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The group that a type of the vocabulary is offered in, and the order of the groups. */
export function typeGroup(term) {
  const short = curie(term.id);
  if (term.class === 'regulated') return 'Health care';
  if (!short.startsWith('gs1:')) return OTHER;
  return GROUP_OF.get(short.slice(4)) ?? 'More';
}
export const OTHER = 'Link relations of the web (IANA)';
export const GROUP_ORDER = [...GROUPS.map(([name]) => name), 'More', OTHER];

export const isGs1Namespace = (type) => String(type).startsWith(GS1);

/** Is it one of the two types that answer a plain scan? */
export const isDefault = (type) => curie(type) === DEFAULT;
export const isVariant = (type) => curie(type) === VARIANT;

// ---- languages, places, media types --------------------------------------------------------------------------------

const names = (kind) => {
  try { return new Intl.DisplayNames(undefined, { type: kind, fallback: 'none' }); } catch { return undefined; }
};
const languages = names('language');
const regions = names('region');

export function languageName(tag) {
  try { return languages?.of(tag) ?? tag; } catch { return tag; }
}

export function placeName(context) {
  try { return /^[A-Z]{2}$/.test(context) ? regions?.of(context) ?? context : context; } catch { return context; }
}

/** Languages offered; any tag may be typed. */
export const LANGUAGES = ['en', 'fr', 'fr-CA', 'de', 'es', 'pt', 'pt-BR', 'it', 'nl', 'pl', 'sv', 'da', 'fi', 'cs', 'el', 'tr', 'ru', 'uk', 'ar', 'he', 'hi', 'zh', 'ja', 'ko', 'vi', 'th', 'id'];

/** Phones offered in the preview: what they send as Accept-Language. */
export const PHONES = [
  ['fr-CA,fr;q=0.9,en;q=0.8', 'Québec: French, then English'], ['en-US,en;q=0.9', 'English (United States)'], ['en-GB,en;q=0.9', 'English (United Kingdom)'],
  ['en-CA,en;q=0.9,fr-CA;q=0.8', 'Canada: English, then French'], ['fr-FR,fr;q=0.9', 'French (France)'], ['de-DE,de;q=0.9', 'German (Germany)'], ['de-CH,de;q=0.9,fr;q=0.8', 'Switzerland: German, then French'],
  ['es-ES,es;q=0.9', 'Spanish (Spain)'], ['es-MX,es;q=0.9', 'Spanish (Mexico)'], ['pt-BR,pt;q=0.9', 'Portuguese (Brazil)'], ['it-IT,it;q=0.9', 'Italian'], ['nl-NL,nl;q=0.9', 'Dutch'],
  ['ja-JP,ja;q=0.9', 'Japanese'], ['zh-CN,zh;q=0.9', 'Chinese (China)'], ['ar-EG,ar;q=0.9', 'Arabic (Egypt)'],
];

export const MEDIA = [
  ['text/html', 'Web page'], ['application/pdf', 'PDF document'], ['application/json', 'Data (JSON)'], ['application/ld+json', 'Linked data (JSON-LD)'], ['text/plain', 'Plain text'],
  ['text/csv', 'Table (CSV)'], ['image/jpeg', 'Picture (JPEG)'], ['image/png', 'Picture (PNG)'], ['image/svg+xml', 'Drawing (SVG)'], ['video/mp4', 'Video (MP4)'], ['application/xml', 'XML'], ['application/linkset+json', 'Linkset'],
];

export function mediaName(type) {
  return MEDIA.find(([name]) => name === type)?.[1] ?? type;
}

export const ROLES = [['reader', 'Reader: may look at everything'], ['editor', 'Editor: may change records'], ['approver', 'Approver: may also release changes'], ['admin', 'Administrator: also people and keys']];
/** Who did something: a name where there is one. */
export function who(by) {
  return by.name ?? (/^local:/.test(by.actor) ? `the command line (${by.actor.slice(6)})` : by.actor);
}

export const VIA = { console: 'in the console', api: 'by the API', 'command-line': 'on the command line', commandLine: 'on the command line' };
