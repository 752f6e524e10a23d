/** JUnit XML, as CI servers read it: suites of cases, each passed, failed, broken or skipped. */

/** XML 1.0 holds no control characters but tab and line ends, and no half of a pair. */
const clean = (text: string): string =>
  text.replace(/[^\P{C}\t\n\r\p{Cf}\p{Co}\p{Cn}]|[\ufffe\uffff]/gu, '\ufffd')

interface JunitFault {
  readonly type: string
  readonly message: string
  readonly text: string
}

export interface JunitCase {
  readonly name: string
  readonly file?: string
  /** It is not as it should be. */
  readonly failure?: JunitFault
  /** It could not be looked at. */
  readonly error?: JunitFault
  readonly skipped?: string
  readonly output?: string
}

/** A report of one suite. */
export const renderJunit = async (suite: string, cases: readonly JunitCase[]): Promise<string> => {
  const { create } = await import('xmlbuilder2')
  const count = (what: 'error' | 'failure' | 'skipped'): number =>
    cases.filter((one) => one[what] !== undefined).length
  const counts = { tests: cases.length, failures: count('failure'), errors: count('error') }
  const document = create({ version: '1.0', encoding: 'UTF-8' })
  const inside = document
    .ele('testsuites', { name: `svcctl ${suite}`, ...counts })
    .ele('testsuite', { name: suite, ...counts, skipped: count('skipped') })
  for (const { name, file, failure, error, skipped, output } of cases) {
    const test = inside.ele('testcase', {
      classname: suite,
      name: clean(name),
      file: file === undefined ? undefined : clean(file),
    })
    for (const [what, fault] of Object.entries({ failure, error }))
      if (fault !== undefined)
        test.ele(what, { type: fault.type, message: clean(fault.message) }).txt(clean(fault.text))
    if (skipped !== undefined) test.ele('skipped', { message: clean(skipped) })
    if (output !== undefined) test.ele('system-out').txt(clean(output))
  }
  return `${document.end({ prettyPrint: true })}\n`
}
