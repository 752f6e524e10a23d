/** JUnit XML, as CI servers read it: suites of cases, each passed, failed, broken or skipped. */

/** XML 1.0 holds no control characters but tab and line ends, and no half of a pair. */
const clean = (text: string): string =>
  text.replace(/[^\P{C}\t\n\r\p{Cf}\p{Co}\p{Cn}]|[\ufffe\uffff]/gu, '\ufffd')

/** Line ends in an attribute would be read as spaces anyway. */
const attribute = (text: string): string => clean(text).replace(/[\t\n\r]+/g, ' ')

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
  const { default: Builder } = await import('fast-xml-builder')
  const count = (what: 'error' | 'failure' | 'skipped'): number =>
    cases.filter((one) => one[what] !== undefined).length
  const counts = {
    '@tests': cases.length,
    '@failures': count('failure'),
    '@errors': count('error'),
  }
  const faultOf = (fault: JunitFault | undefined) =>
    fault && {
      '@type': fault.type,
      '@message': attribute(fault.message),
      '#text': clean(fault.text),
    }
  const testcase = cases.map(({ name, file, failure, error, skipped, output }) => ({
    '@classname': suite,
    '@name': attribute(name),
    '@file': file && attribute(file),
    failure: faultOf(failure),
    error: faultOf(error),
    skipped: skipped === undefined ? undefined : { '@message': attribute(skipped) },
    'system-out': output === undefined ? undefined : clean(output),
  }))
  const builder = new Builder({
    format: true,
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressEmptyNode: true,
  })
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': `svcctl ${suite}`,
      ...counts,
      testsuite: { '@name': suite, ...counts, '@skipped': count('skipped'), testcase },
    },
  })
}
