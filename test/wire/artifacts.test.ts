import { artifacts } from '../../src/catalogue/areas/artifacts.js'
import { checkRequests } from './pin.js'

checkRequests('artifacts', artifacts, [
  { key: 'download', values: { id: 3, job_id: 8 }, sends: 'GET /projects/3/jobs/8/artifacts' },
  {
    key: 'downloadLatest',
    values: { id: 3, ref_name: 'feature/x', job: 'build it' },
    sends: 'GET /projects/3/jobs/artifacts/feature%2Fx/download?job=build%20it',
  },
  {
    key: 'downloadLatest',
    values: { id: 3, ref_name: 'v1.0.0', job: 'build' },
    sends: 'GET /projects/3/jobs/artifacts/v1.0.0/download?job=build',
  },
  {
    key: 'file',
    values: { id: 3, job_id: 8, artifact_path: 'dist/was ist das?.txt' },
    sends: 'GET /projects/3/jobs/8/artifacts/dist/was%20ist%20das%3F.txt',
  },
  {
    key: 'fileLatest',
    values: { id: 'g/p', ref_name: 'main', artifact_path: 'a/b.txt', job: 'build' },
    sends: 'GET /projects/g%2Fp/jobs/artifacts/main/raw/a/b.txt?job=build',
  },
  {
    key: 'file',
    values: { id: 3, job_id: 8, artifact_path: './/./dist/app.txt' },
    sends: 'GET /projects/3/jobs/8/artifacts/dist/app.txt',
  },
  { key: 'keep', values: { id: 3, job_id: 8 }, sends: 'POST /projects/3/jobs/8/artifacts/keep' },
  { key: 'delete', values: { id: 3, job_id: 8 }, sends: 'DELETE /projects/3/jobs/8/artifacts' },
])
