import { ci } from '../../src/catalogue/areas/ci.js'
import { checkRequests } from './pin.js'

checkRequests('ci', ci, [
  {
    key: 'lint',
    values: { content: 'a:\n  script: "x"\n', include_merged_yaml: true },
    sends: 'POST /ci/lint',
    body: '{"content":"a:\\n  script: \\"x\\"\\n","include_merged_yaml":true}',
  },
  {
    key: 'lintOfProject',
    values: { id: 'g/p', content: 'x', dry_run: false },
    sends: 'POST /projects/g%2Fp/ci/lint',
    body: '{"content":"x","dry_run":false}',
  },
  {
    key: 'lintHead',
    values: { id: 3, dry_run: true },
    sends: 'GET /projects/3/ci/lint?dry_run=true',
  },
])
