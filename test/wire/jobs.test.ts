import { jobs } from '../../src/catalogue/areas/jobs.js'
import { checkRequests } from './pin.js'

checkRequests('jobs', jobs, [
  { key: 'list', values: { id: 3 }, sends: 'GET /projects/3/jobs' },
  {
    key: 'list',
    values: { id: 3, scope: ['failed'] },
    sends: 'GET /projects/3/jobs?scope[]=failed',
  },
  {
    key: 'list',
    values: { id: 'g/p', scope: ['pending', 'running'] },
    sends: 'GET /projects/g%2Fp/jobs?scope[]=pending&scope[]=running',
  },
  {
    key: 'listOfPipeline',
    values: { id: 3, pipeline_id: 46, include_retried: true },
    sends: 'GET /projects/3/pipelines/46/jobs?include_retried=true',
  },
  {
    key: 'bridges',
    values: { id: 3, pipeline_id: 46, scope: ['manual'] },
    sends: 'GET /projects/3/pipelines/46/bridges?scope[]=manual',
  },
  { key: 'get', values: { id: 3, job_id: 8 }, sends: 'GET /projects/3/jobs/8' },
  { key: 'current', values: {}, sends: 'GET /job' },
  { key: 'agents', values: {}, sends: 'GET /job/allowed_agents' },
])
