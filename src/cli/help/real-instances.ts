/** `svcctl help real-instances`: where instances differ from the documents, and what to do about it. */
import { commandLine, indent, wrap } from './layout.js'

/** A paragraph, or lines of a shell or a file. */
type Part = string | { readonly lines: readonly string[] }

const parts: readonly Part[] = [
  'The documents of the API have neutral words where a product has its own. Paths, headers and values are the same on deployed instances; a few parameters, fields and the session cookie are called otherwise there, and versions differ in what they know.',
  'What an instance does not know it ignores, with 200 and no complaint. So after a write its answer is held against what was sent, and what it does not show is noted; --strict makes that exit 1. svcctl doctor says which version it is and in which words it is spoken to.',
  'What a newer version knows is sent all the same by its own name, and shown wherever a field is named:',
  {
    lines: [
      'svcctl settings update --param new_setting=5 --strict',
      'svcctl runners list --param status=brand_new',
    ],
  },
  'An instance’s words are written down once, in a file. learn finds out what its answers tell, and leaves as comments what is not certain; check holds the file against the instance:',
  {
    lines: [
      'svcctl vocabulary learn --to work.yml',
      'svcctl profile set work --vocabulary work.yml',
      'svcctl vocabulary check -p work',
    ],
  },
  'The file, every section but the first of which may be missing:',
  {
    lines: [
      'vocabulary: 1',
      'words: { cloud: nimbus }               # parts of names and paths',
      'names: { monitor_site: watch_region }  # whole names; beat words',
      'cookies: { _svc_session: _hub_session }',
      'headers: { x-total: x-hub-total }',
      'paths: { /geo_nodes: /geo_sites }',
      'slugs: { monitoring: watchtower }      # of a family of integrations',
      'values: { runners.status: [stale] }    # further ones',
      'gone: { "POST /ci/lint": "check within a project: --project" }',
      'secrets: [hub_signing_blob]            # further fields to mask',
    ],
  },
  'Both names are then taken: as flags, by --param, --input, --fields and --where, and by settings get. Both for one thing on one line are refused. --curl, -v and the audit log show what is sent; JSON is passed on as it came, tables and csv are headed by the instance’s word. --help and completion show that one first. With several profiles a line may have the names of any of them, and each is sent its own; files of plan and apply have those of the documents, whatever the instance.',
  'A profile’s file counts for its own address only; SVC_VOCABULARY counts for whatever instance the run is about, the embedded one as well. It can rename, and never unprotect: credentials travel as ever, and what is secret under one name is under the other. svcctl sandbox serve --vocabulary work.yml is an instance with these words, to rehearse against.',
]

/** The page. */
export const realInstancesPage = (width: number): string =>
  parts
    .map((part) =>
      typeof part === 'string'
        ? wrap(part, width - indent.length)
            .map((line) => indent + line)
            .join('\n')
        : part.lines
            .map((line) =>
              line.startsWith('svcctl') ? commandLine(line, width) : `${indent}  ${line}`,
            )
            .join('\n'),
    )
    .join('\n\n')
