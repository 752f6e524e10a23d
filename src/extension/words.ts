/** Converts names of an API to words of the command line. */

/** Converts a name to the form of commands and flags: `mergeRequest` and `merge_request` become `merge-request`. */
export const toCommandWord = (name: string): string =>
  name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .split(/[^A-Za-z0-9]/)
    .filter((part) => part !== '')
    .join('-')
    .toLowerCase()

/** Matches the name of an area, which is also a part of the name of its file. */
export const areaName = /^[a-z][a-z0-9-]{0,99}$/

/** Matches what follows the area: a verb, or a group and a verb. */
export const verbWords = /^[a-z0-9][a-z0-9-]*(?: [a-z0-9][a-z0-9-]*)?$/
