/** Collects the mistakes in declared files, and provides the context for reading their values. */

import { Findings } from '../../base/documents/findings.js'
import {
  isNull,
  toPlain,
  type WrittenEntry,
  type WrittenValue,
} from '../../base/documents/written.js'
import type { HeldText } from '../../base/secrets/redact.js'
import { quoteText } from '../../base/text.js'
import type { JsonSchema } from '../../catalogue/schema.js'
import { parseNameReference, type Reference } from '../address.js'
import type { Origin, SourcedValue } from '../state.js'

/**
 * Removes entries and items without a value, and reports each. YAML reads them as null, and null deletes, which a person who comments
 * attributes out does not intend.
 */
export const removeEmptyValues = (written: WrittenValue, mistakes: Mistakes): WrittenValue => {
  const isEmpty = (value: WrittenValue): boolean =>
    isNull(value) && 'text' in value && value.text === ''
  if (written.is === 'scalar') return written
  if (written.is === 'list') {
    for (const { origin } of written.items.filter(isEmpty))
      mistakes.add(origin, 'an item of this list has no value')
    const items = written.items.filter((item) => !isEmpty(item))
    return { ...written, items: items.map((item) => removeEmptyValues(item, mistakes)) }
  }
  for (const { key, origin } of written.entries.filter(({ value }) => isEmpty(value)))
    mistakes.add(origin, `${quoteText(key)} has no value`, emptyHint)
  const entries = written.entries.filter(({ value }) => !isEmpty(value))
  return {
    ...written,
    entries: entries.map((entry) => ({
      ...entry,
      value: removeEmptyValues(entry.value, mistakes),
    })),
  }
}

const emptyHint = 'Write a value, {} for an empty map, or null to remove or unset it.'

/** Collects the mistakes in declared files. */
export class Mistakes extends Findings {
  /** Returns the first of two values for an attribute at the same level, and reports the second. */
  once<T>(known: SourcedValue<T> | undefined, said: SourcedValue<T> | undefined, name: string) {
    if (known !== undefined && said !== undefined)
      this.addDuplicate(said.origin, `${name} is set twice at this level`, known.origin)
    return known ?? said
  }

  /** Reads the boolean of a key such as `$exact`. @param known the value that another file declared at the same level */
  switched(known: SourcedValue<boolean> | undefined, { key, origin, value }: WrittenEntry) {
    return this.once(known, { value: toPlain(value) === true, origin }, key)
  }

  /** Reads a reference to a user, group or the like, by name or by ID. */
  reference(origin: Origin, text: string): Reference | undefined {
    const readReference = parseNameReference(text)
    const name = quoteText(text)
    const hint = `Write a name that consists of digits as '@${name}'.`
    return readReference ?? this.add(origin, `${name} is not an ID`, hint)
  }
}

/** The options for secrets and other files that files may name. */
export interface NamingOptions {
  readonly cwd: string
  /** If true, secrets may be written out in files. */
  readonly allowLiteralSecrets?: boolean
  /** If true, secrets may come from commands. */
  readonly allowCommands?: boolean
  /** Reads a named file from another source than the file system. */
  readonly open?: (path: string) => Buffer
}

/** The naming rules for one reading of files. */
export interface SourceRules extends NamingOptions {
  /** The folder that must contain the files that a file names; undefined if they may be anywhere. */
  within(file: string): string | undefined
  /** Called for each named file that was read. */
  held(path: string, text: HeldText): void
}

/** The context for reading the values of a file. */
export interface ReadContext {
  readonly mistakes: Mistakes
  readonly rules: SourceRules
}

/** Creates the schema of a key that is known, and that files must not have here. @param reason for people, in whole sentences */
export const refuseKey = (reason: string): JsonSchema => ({ not: {}, description: reason })

/** The schema of `$exact` for kinds whose objects cannot be deleted. */
export const refusedExact = refuseKey(
  'Objects of this kind cannot be deleted, so the set cannot be exact.',
)

/** The schema of a text. YAML may parse it as a number or boolean, and the reader takes its text as written. */
export const textSchema: JsonSchema = { type: ['string', 'number', 'boolean'] }
export const inherit: JsonSchema = {
  type: 'boolean',
  description: 'false ignores the values of less specific levels',
}
