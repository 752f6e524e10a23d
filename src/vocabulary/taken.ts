/** What may not be another name of anything, since it means something already: known without the catalogue's areas. */
import { pathOf } from '../catalogue/endpoint.js'
import { implied } from '../catalogue/implied.js'
import { integrationFamilies } from '../catalogue/integration-families.js'
import { conflict, type Entries } from './entries.js'

/** Whether segments stand in a path, one after the other. */
const holds = (path: string, run: string): boolean => `${path}/`.includes(`${run}/`)

/** @throws Failure `usage` for a path that becomes one which the documents do not show */
const checkPaths = ({ file, paths }: Entries): void => {
  for (const { key, value, line } of paths) {
    const other = implied.find((one) => holds(pathOf(one), value) && !holds(pathOf(one), key))
    if (other !== undefined)
      throw conflict(file, [line], `${key} would become ${value}, which is ${other.route}`)
  }
}

/** @throws Failure `usage` for a family that gets the slug, or the name, of another one */
const checkSlugs = ({ file, slugs }: Entries): void => {
  for (const { key, values, line } of slugs)
    for (const slug of values) {
      const again = slugs.find((one) => one.key !== key && one.values.includes(slug))
      if (again !== undefined)
        throw conflict(file, [again.line, line], `${again.key} and ${key} would both be ${slug}`)
      const other = integrationFamilies.find(
        ({ name, slugs: theirs }) => name !== key && (name === slug || theirs.includes(slug)),
      )
      if (other !== undefined)
        throw conflict(
          file,
          [line],
          `${key} would be ${slug}, which is of the family ${other.name}`,
        )
    }
}

/** @throws Failure `usage` with both names, where one of a vocabulary is taken */
export const checkTaken = (entries: Entries): void => {
  checkPaths(entries)
  checkSlugs(entries)
}
