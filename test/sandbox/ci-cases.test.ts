/** Tests the linter of the embedded instance on the configurations in `ci-cases/`, over HTTP. */
import { describe, expect, it } from 'vitest'
import { type Case, cases } from './ci-cases.js'
import { useSharedSandbox } from './instance.js'

const { send } = useSharedSandbox()
const advice = "(the service's schema does not allow this)"

const lintCase = async ({ content, asOf, pipeline }: Case) => {
  const json = { content, ...(asOf === undefined ? {} : { as_of: asOf }), dry_run: pipeline }
  const route = pipeline ? '/projects/platform%2Fapp/ci/lint' : '/ci/lint'
  const { body } = await send(`POST ${route}`, { json })
  return { errors: body.errors, warnings: body.warnings }
}

const { good = [], ...others } = cases
const all = [...good, ...Object.values(others).flat()]

describe('good files', () => {
  it.each(good.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const { errors, warnings } = await lintCase(one)
    expect(errors).toEqual([])
    expect(warnings.filter((text: string) => text.includes(advice))).toEqual([])
  })
})

describe.each(Object.entries(others))('%s', (_file, list) => {
  it.each(list.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    expect(await lintCase(one)).toEqual({ errors: one.errors, warnings: one.warnings })
  })
})

describe('the corpus', () => {
  it('has a reason for each verdict, and many of both', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length)
    expect(all.filter(({ errors }) => errors.length > 0).length).toBeGreaterThan(240)
    expect(all.filter(({ errors }) => errors.length === 0).length).toBeGreaterThan(80)
  })

  it('says something of whatever the schema refuses and no document shows', () => {
    const silent = Object.values(others)
      .flat()
      .filter((one) => one.refusedBySchema && one.asOf === undefined)
      .filter((one) => one.errors.length + one.warnings.length === 0)
    expect(silent).toEqual([])
  })

  it('calls nothing an error that the schema alone refuses', () => {
    for (const one of cases.advice ?? []) {
      expect(one).toMatchObject({ errors: [], refusedBySchema: true })
      expect(one.warnings.filter((text) => text.endsWith(advice))).not.toEqual([])
    }
  })
})
