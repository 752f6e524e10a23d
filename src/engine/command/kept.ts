/** What journals keep of an object: masked as the output masks it, and without what was sent as a secret. */
import type { Fields } from '../../base/objects.js'
import { maskFields, type Replacement, secrecies } from '../../base/secrets/mask.js'
import { masked } from '../../base/secrets/names.js'
import { scrub } from '../../base/secrets/scrub.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/secret-fields.js'

/** A value without any text that was sent as a secret. */
const scrubbedValue = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined || scrub(text) === text ? value : masked
}

/** What is masked in part could not be put back: what holds a secret is masked whole. */
const whole: Replacement = { value: () => masked, address: () => masked }

/** Attributes of what an endpoint takes or gives, as they may be written down. */
export const createAttributeMask = (
  endpoint: Endpoint,
): ((attributes: Fields | null) => Fields | null) => {
  const secrecyOf = secrecies(getSecretFields(endpoint))
  return (attributes) =>
    attributes === null
      ? null
      : Object.fromEntries(
          Object.entries(maskFields(attributes, secrecyOf, whole)).map(([name, value]) => [
            name,
            scrubbedValue(value),
          ]),
        )
}
