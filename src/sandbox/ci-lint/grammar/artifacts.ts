/** Declares the CI keywords for files that jobs create: `cache`, `artifacts`, `pages` and `release`. */
import {
  advised,
  all,
  each,
  either,
  entry,
  excludes,
  has,
  hashType,
  items,
  type Keys,
  must,
  required,
  since,
  until,
  wordsType,
} from './types.js'
import {
  atMost,
  booleanType,
  durationOrNever,
  filledText,
  formed,
  isFilled,
  notEmpty,
  openDuration,
  text,
  textList,
  textOrTexts,
} from './values.js'

const ends = wordsType(['on_success', 'on_failure', 'always'])

/** The key of a cache. It is part of a file name, so that it may not contain a slash. */
const cacheKey = entry(
  all(
    text,
    must((v) => !/\/|%2f/i.test(String(v)), 'cannot contain the "/" character'),
    must((v) => !/^(?:\.|%2e){1,2}$/i.test(String(v)), 'cannot be "." or ".."'),
  ),
)
const keyFiles = entry(
  all(
    textList,
    must(isFilled, 'requires at least 1 item'),
    atMost(2, 'has too many items (maximum is 2)'),
  ),
)
const keyOfFiles = hashType(
  { files: keyFiles, files_commits: keyFiles, prefix: cacheKey },
  {
    holds: (value) => has(value, 'files') || has(value, 'files_commits'),
    says: 'missing required keys: files',
    curable: true,
  },
  excludes('files', 'files_commits'),
)
const policy = must(
  (v) => typeof v === 'string' && /^(?:pull|push|pull-push)?$|\$\w/.test(v),
  'should be a variable or one of: pull-push, push, pull',
)
const oneCache = hashType({
  key: either(
    { string: cacheKey, hash: since('12.5', keyOfFiles) },
    'should be a hash, a string or a symbol',
  ),
  paths: entry(textList),
  untracked: entry(booleanType),
  policy,
  when: since('13.5', ends),
  unprotect: since('15.8', entry(booleanType)),
  fallback_keys: since('16.0', entry(all(textList, atMost(5, 'has to many entries (maximum 5)')))),
})
const fewCaches = must(
  (v) => Array.isArray(v) && v.length <= 4,
  'no more than 4 caches can be created',
)
export const cache = either(
  { hash: oneCache, list: since('13.11', all(fewCaches, items(oneCache, 'cache', 'hashes'))) },
  'config should be a hash or an array',
)

const coverageReport = hashType(
  {
    coverage_format: wordsType(
      ['cobertura', ['jacoco', { since: '17.3' }]],
      (formats) => `must be one of supported formats: ${formats}.`,
    ),
    path: filledText,
  },
  required('coverage_format'),
  required('path'),
)
const files = textOrTexts
/** The type of the files in a report. The schema for editors accepts only a single text. */
const file = all(files, advised(text))
const reports: Keys = {
  ...each(
    'cluster_applications license_management lsif repository_xray requirements_v2 sarif',
    files,
  ),
  junit: since('11.2', files),
  ...each(
    'codequality container_scanning dast dependency_scanning performance sast',
    since('11.5', files),
  ),
  metrics: since('11.10', files),
  accessibility: since('12.8', file),
  license_scanning: since('12.8', files),
  dotenv: since('12.9', files),
  terraform: since('13.0', files),
  ...each('requirements secret_detection', since('13.1', files)),
  load_performance: since('13.2', files),
  ...each('api_fuzzing coverage_fuzzing', since('13.4', files)),
  browser_performance: since('14.0', file),
  cluster_image_scanning: since('14.1', files),
  cyclonedx: since('15.3', files),
  annotations: since('16.3', file),
  cobertura: until('15.0', files),
  coverage_report: since('14.10', coverageReport),
}

const exposed = all(
  text,
  atMost(100, 'is too long (maximum is 100 characters)'),
  must(
    (v) => /^\w[-\w ]*$/.test(String(v)),
    "can contain only letters, digits, '-', '_' and spaces",
  ),
)
const someTexts = all(textList, notEmpty)
export const artifacts = hashType(
  {
    name: text,
    paths: someTexts,
    exclude: since('13.1', someTexts),
    expire_in: durationOrNever,
    expose_as: since('12.5', exposed),
    untracked: booleanType,
    public: since('13.8', booleanType),
    access: since(
      '16.11',
      wordsType(['none', 'developer', ['maintainer', { since: '18.4' }], 'all']),
    ),
    when: ends,
    reports: hashType(reports),
  },
  excludes('access', 'public'),
  required('paths', 'expose_as'),
  {
    key: 'paths',
    holds: ({ expose_as, paths }) =>
      typeof expose_as !== 'string' || ![paths].flat().some((path) => String(path).includes('*')),
    says: "can't contain '*' when used with 'expose_as'",
  },
)

export const pages = either(
  {
    boolean: must(() => true, ''),
    hash: hashType({
      path_prefix: since('16.7', text),
      expire_in: since('17.4', openDuration),
      publish: since('17.9', text),
    }),
  },
  'config should be a hash or a boolean value',
)

/** An ISO 8601 date. Rarer forms of dates are accepted without further checks. */
const isoDate = /^\d{4}-?(?:(\d\d)-?(\d\d)|W\d\d-?\d|\d{3})(?:[T ]\d\d[\d:.,]*(?:Z|[+-][\d:]+)?)?$/i
const isDate = (given: string): boolean => {
  const [found, month, day] = isoDate.exec(given) ?? []
  if (found === undefined || month === undefined) return found !== undefined
  const date = new Date(Date.UTC(Number(given.slice(0, 4)), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}
const link = hashType(
  {
    name: filledText,
    url: all(
      filledText,
      formed((v) => URL.canParse(v), 'must be a valid URL'),
    ),
    filepath: text,
    link_type: all(text, advised(wordsType(['runbook', 'package', 'image', 'other']))),
  },
  required('name'),
  required('url'),
)
const links = all(items(link, 'link', 'hashes'), must(isFilled, "can't be blank"))
export const release = hashType(
  {
    tag_name: filledText,
    tag_message: since('15.3', text),
    description: filledText,
    name: text,
    ref: text,
    milestones: textOrTexts,
    released_at: formed(isDate, 'must be a valid datetime'),
    assets: since('13.12', hashType({ links }, required('links'))),
  },
  required('tag_name'),
  required('description'),
)
