import { integrations } from '../../src/catalogue/areas/integrations.js'
import { checkRequests } from './pin.js'

const slug = { id: 'platform/app', slug: 'emails-on-push' }

checkRequests('integrations', integrations, [
  { key: 'list', values: { id: 5 }, sends: 'GET /projects/5/integrations' },
  { key: 'get', values: slug, sends: 'GET /projects/platform%2Fapp/integrations/emails-on-push' },
  {
    key: 'update',
    values: { ...slug, disable_diffs: true, push_events: false, recipients: 'a@x.test b@x.test' },
    sends: 'PUT /projects/platform%2Fapp/integrations/emails-on-push',
    body: '{"disable_diffs":true,"push_events":false,"recipients":"a@x.test b@x.test"}',
  },
  {
    key: 'update',
    values: { id: 5, slug: 'task-tracker', api_key: 'k', restrict_to_branch: ['main', 'next'] },
    extra: { colour: { ok: 'green' } },
    sends: 'PUT /projects/5/integrations/task-tracker',
    body: '{"api_key":"k","restrict_to_branch":"main,next","colour":{"ok":"green"}}',
  },
  {
    key: 'delete',
    values: slug,
    sends: 'DELETE /projects/platform%2Fapp/integrations/emails-on-push',
  },
  { key: 'listServices', values: { id: 5 }, sends: 'GET /projects/5/services' },
  {
    key: 'getService',
    values: slug,
    sends: 'GET /projects/platform%2Fapp/services/emails-on-push',
  },
  {
    key: 'updateService',
    values: { ...slug, branches_to_be_notified: 'default_and_protected', recipients: '' },
    sends: 'PUT /projects/platform%2Fapp/services/emails-on-push',
    body: '{"branches_to_be_notified":"default_and_protected","recipients":""}',
  },
  {
    key: 'deleteService',
    values: slug,
    sends: 'DELETE /projects/platform%2Fapp/services/emails-on-push',
  },
])
