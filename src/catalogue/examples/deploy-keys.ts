/** Examples that help shows: they run as they stand against the sample data. */
import type { Examples } from '../endpoint.js'

export const deployKeys: Examples = {
  list: [
    'deploy-keys list --instance',
    'deploy-keys list -P platform/app --fields id,title,can_push',
  ],
  get: ['deploy-keys get 1 -P platform/app', 'deploy-keys get 1 -P platform/app -o json'],
  update: [
    "deploy-keys update 1 --title 'deploy, read only' --no-can-push -P platform/app",
    'deploy-keys update 1 --can-push -P platform/app',
  ],
  delete: [
    'deploy-keys delete 1 -P platform/app --yes',
    `deploy-keys list -P platform/app -o json | jq '.[] | select(.title == "deploy") | .id' | svcctl deploy-keys delete - -P platform/app --yes`,
  ],
  enable: [
    'deploy-keys enable 2 -P platform/app',
    'deploy-keys enable 1 2 -P platform/app -o json',
  ],
}
