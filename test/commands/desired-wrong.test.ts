/** What each of many wrong files prints, whole: whoever rebuilds the reading of files loses no place and no hint. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { sandbox } from '../sandbox/instance.js'
import { folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = sandbox()

const app = (text: string): string => `projects: {platform/app: {${text}}}`
const rule = (text: string): string => app(`approval_rules: {Security: {${text}}}`)
const rules = (text: string): string => app(`approval_rules: {${text}}`)
const people = (text: string): string => `groups: {platform: {members: {${text}}}}`
const settings = (text: string): string => `site: {settings: {${text}}}`
const chat = (text: string): string => app(`integrations: {chat: {family: chat-webhook, ${text}}}`)

/** Texts below `version: 1`, by what is wrong in them; several files by their names. */
const wrong: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  // YAML
  'no YAML': 'groups: {platform: [}',
  'an unquoted at sign': chat('webhook: @secret.txt'),
  'a command in a flow map': chat('webhook: command:["pass", "x"]'),
  'unquoted stars': 'groups: {**: {members: {}}}',
  'a backtick': people('`ana`: developer'),
  'a list as document': { 'f.yml': '- version: 1\n' },
  'nothing at all': { 'f.yml': '' },
  'no UTF-8': { 'f.yml': 'version: 1 # \uFFFD' },
  'a key twice': people('ana: developer, ana: guest'),
  'an unknown alias': people('ana: *who'),
  'merge keys': 'site: {settings: {<<: [], after_sign_up_text: a}}',
  'a list as key': people('[ana]: developer'),
  'an empty key': people("'': developer"),
  // documents
  'no version': { 'f.yml': 'groups: {}\n' },
  'a newer version': { 'f.yml': 'version: 2\n' },
  'a version as text': { 'f.yml': "version: '1'\n" },
  'an unknown key': 'group: {platform: {}}',
  'an instance as number': 'instance: 7',
  'an instance that is not an address': 'instance: not an address',
  'two instances': {
    'a.yml': 'version: 1\ninstance: https://a.example\n',
    'b.yml': 'version: 1\ninstance: https://b.example\n',
  },
  'defaults of groups': 'defaults: {groups: {members: {}}}',
  'defaults as list': 'defaults: []',
  'groups as list': 'groups: [platform]',
  'a wrong group path': "groups: {'a b': {members: {}}}",
  'a group of stars': "groups: {'plat*': {members: {}}}",
  'projects of a plain group': 'groups: {platform: {projects: {approvals: {}}}}',
  'a project without its group': 'projects: {app: {approvals: {}}}',
  'a glob that is none': "projects: {'plat?/*': {approvals: {}}}",
  'an unquoted selector': 'projects: {{topic: a}: {approvals: {}}}',
  'an unknown selector': "projects: {'{topics: a}': {approvals: {}}}",
  'selectors of one rank':
    "projects: {'{topic: service}': {approvals: {reset_approvals_on_push: true}}, '{path: \"platform/*\"}': {approvals: {reset_approvals_on_push: false}}}",
  'an unknown team': people('team:nobody: developer'),
  'teams in a circle': 'teams: {a: {teams: [b]}, b: {teams: [a]}}',
  'a range that is none': rule('approvals_required: {min: 3, max: 2}'),
  'a project of nothing': 'projects: {platform/app: null}',
  'a project as text': 'projects: {platform/app: text}',
  // kinds
  'an unknown kind': app('approvel_rules: {}'),
  'a kind of another place': app('settings: {}'),
  'a kind as null': app('approval_rules: null'),
  'a kind that cannot be deleted': app('approvals: null'),
  'a list of members': 'groups: {platform: {members: [ana, ben]}}',
  'rules as map': 'site: {runners: {a: {}}}',
  'a rule as text': 'site: {runners: [shared]}',
  'a rule without set': 'site: {runners: [{match: {id: 1}}]}',
  'a rule with more': 'site: {runners: [{match: {id: 1}, set: {}, sett: {}}]}',
  'a rule for nothing': 'site: {runners: [{match: {}, set: {}}]}',
  'a rule for an unknown field': 'site: {runners: [{match: {descripton: a}, set: {}}]}',
  'an unknown word': rules('$exactly: true'),
  'a word of no meaning': rules('$foo: true'),
  'exact as text': rules("$exact: 'yes'"),
  'exact twice': {
    'a.yml': `version: 1\n${rules('$exact: true')}\n`,
    'b.yml': `version: 1\n${rules('$exact: true')}\n`,
  },
  'exact where nothing is deleted': settings('$exact: true'),
  'inherit as number': rules('$inherit: 0'),
  'a resource group as null': app('resource_groups: {production: null}'),
  // items
  'an item without a value': people('ben:'),
  'commented lines': 'groups:\n  platform:\n    members:\n      ben:\n#       access_level: guest',
  'an item as list': people('ana: [developer]'),
  'an item as text': rules('Security: two'),
  'an item that is null and there': {
    'a.yml': `version: 1\n${rules('Security: null')}\n`,
    'b.yml': `version: 1\n${rules('Security: {}')}\n`,
  },
  'an item that is null twice': {
    'a.yml': `version: 1\n${rules('Security: null')}\n`,
    'b.yml': `version: 1\n${rules('Security: null')}\n`,
  },
  'digits that are no ID': people('007: developer'),
  'an attribute twice': {
    'a.yml': `version: 1\n${rule('approvals_required: 1')}\n`,
    'b.yml': `version: 1\n${rule('approvals_required: 1')}\n`,
  },
  'an unknown attribute': rule('approval_required: 2'),
  'an attribute nobody knows': rule('zzz: 2'),
  'the name as attribute': rule('name: Security'),
  'a deprecated attribute': app('approvals: {approvals_before_merge: 1}'),
  'what is present': chat('active: false'),
  'previously itself': rule('previously: [Security]'),
  'previously as map': rule('previously: {a: b}'),
  'previously of what cannot be renamed': people('ana: {previously: [anna]}'),
  'previously of a declared one': rules('A: {previously: [B]}, B: {}'),
  'an unknown family': app('integrations: {chat: {family: chat-web}}'),
  'no family': app('integrations: {chat: {webhook: {env: X}}}'),
  'another family': app(
    'integrations: {emails-on-push: {family: chat-webhook, webhook: {env: X}}}',
  ),
  'an attribute of another family': chat('recipients: a@example.test'),
  'other as text': rule('$other: a'),
  'other of what is known': rule('$other: {approvals_required: 1}'),
  'other of settings': settings('$other: {a: 1}'),
  // values
  'text for a number': rule('approvals_required: many'),
  'a fraction': rule('approvals_required: 1.5'),
  'a number out of range': rule('approvals_required: -1'),
  'a word for a boolean': app('approvals: {reset_approvals_on_push: yes}'),
  'an unknown level': people('ana: {access_level: develper}'),
  'an unknown value of an enumeration': rule('rule_type: regulr'),
  'text for a list': rule('user_ids: ana'),
  'an attribute without a value': rule('user_ids:'),
  'a list with nothing in it':
    'projects:\n  platform/app:\n    approval_rules:\n      Security:\n        user_ids:\n        - ana\n        -',
  'null of what cannot be unset': rule('approvals_required: null'),
  'null of what creation needs': people('ana: {access_level: null}'),
  'a wrong date': people('ana: {access_level: guest, expires_at: soon}'),
  'an unknown change of a list': rule('user_ids: {$plus: [ana]}'),
  'a change of what is no list': rule('approvals_required: {$add: [1]}'),
  'a member added and removed': rule('user_ids: {$add: [ana], $remove: [Ana]}'),
  'a number that is none': settings('a: .inf'),
  'a number that is too large': settings('a: 12345678901234567890'),
  'a wrong key': app("deploy_keys: {laptop: 'AAAA'}"),
  'one key under two names': app(
    "deploy_keys: {a: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw', b: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw x'}",
  ),
  // secrets and files
  'a secret in the file': chat('webhook: https://chat.example/hook'),
  'a secret as list': chat('webhook: [a]'),
  'a secret of two sources': chat('webhook: {env: A, file: b}'),
  'an unknown source': chat('webhook: {enf: A}'),
  'a variable that is none': chat("webhook: {env: 'A B'}"),
  'a credential of the tool': chat('webhook: {env: SVC_TOKEN}'),
  'a command that is not allowed': chat('webhook: {command: [pass, x]}'),
  'a command without a program': chat('webhook: {command: pass}'),
  'a file outside': chat('webhook: {file: ../../x}'),
  'a file that is not there': app('deploy_keys: {a: {key: {file: a.pub}}}'),
  // teams
  'a team as list': 'teams: {leads: [ana]}',
  'a team with more': 'teams: {leads: {zzz: [ana]}}',
  'a wrong team name': "teams: {'the leads': {users: [ana]}}",
  'a team twice': {
    'a.yml': 'version: 1\nteams: {leads: {users: [ana]}}\n',
    'b.yml': 'version: 1\nteams: {leads: {users: [ben]}}\n',
  },
  'users of a team as text': 'teams: {leads: {users: ana}}',
  'a user of a team as map': 'teams: {leads: {users: [{ana: 1}]}}',
  'a list of teams without users': `teams: {none: {users: []}}\n${rule('user_ids: [team:none]')}`,
  'two teams that differ': `teams: {a: {users: [eva]}, b: {users: [eva]}}\n${people('team:a: {access_level: guest, expires_at: 2031-01-01}, team:b: {access_level: guest, expires_at: 2032-01-01}')}`,
  // selectors
  'a selector of no known key': "projects: {'{zzz: a}': {approvals: {}}}",
  'a selector of a map': "projects: {'{topic: {a: b}}': {approvals: {}}}",
  'a selector of nothing': "projects: {'{}': {approvals: {}}}",
  'a selector that does not end': "projects: {'{topic: a': {approvals: {}}}",
  // ownership
  'owns as text': 'owns: site',
  'an address that nobody owns': 'owns: [everything]',
  'owns twice': {
    'a.yml': 'version: 1\nowns: [site]\n',
    'b.yml': 'version: 1\nowns: [site]\n',
  },
  'what the folder does not own': `owns: [site]\n${app('approvals: {}')}`,
  'what another folder owns': {
    'a/f.yml': 'version: 1\nowns: [projects/platform/app]\n',
    'b/f.yml': `version: 1\n${app('approvals: {}')}\n`,
  },
  'what two folders own': {
    'a/f.yml': 'version: 1\nowns: [site]\n',
    'b/f.yml': 'version: 1\nowns: [site]\n',
  },
  'more than the folder above owns': {
    'f.yml': 'version: 1\nowns: [site]\n',
    'b/f.yml': 'version: 1\nowns: [groups/platform]\n',
  },
  'a team of a folder that owns': {
    'a/f.yml': 'version: 1\nowns: [site]\nteams: {leads: {users: [ana]}}\n',
    'b/f.yml': `version: 1\n${people('team:leads: developer')}\n`,
  },
  // ranges and formats
  'a range of an unknown word': rule('approvals_required: {mni: 1}'),
  'a range of nothing': rule('approvals_required: {}'),
  'a range with one of': rule('approvals_required: {min: 1, one_of: [2]}'),
  'a least value as list': rule('approvals_required: {min: [1]}'),
  'one of as text': rule('approvals_required: {one_of: 1}'),
  'one of nothing': rule('approvals_required: {one_of: [null]}'),
  'a list where text is': settings('after_sign_up_text: [a]'),
  'a map in a list': settings('domain_allowlist: [{a: 1}]'),
  'text with a NUL': settings('after_sign_up_text: "a\\0b"'),
  'a name without a text': rule("user_ids: ['']"),
  'text for PEM': app('pages_domains: {www.example.test: {certificate: AAAA}}'),
  'a private key as certificate': {
    'f.yml': `version: 1\n${app('pages_domains: {www.example.test: {certificate: {file: a.txt}}}')}\n`,
    'a.txt': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  },
  'a rule for a field nobody knows': 'site: {runners: [{match: {zzz: a}, set: {}}]}',
  'a rule for a map': 'site: {runners: [{match: {id: {a: 1}}, set: {}}]}',
  'a rule with a word nobody knows': 'site: {runners: [{match: {id: 1}, set: {}, zzz: {}}]}',
  'a kind nobody knows': app('zzz: {}'),
  'a key nobody knows': 'zzz: {}',
  'an attribute that a family requires': chat('webhook: null'),
  // what only the instance shows
  'a project that is not there': 'projects: {platform/ap: {approvals: {}}}',
  'a group that is not there': 'groups: {platfrm: {members: {}}}',
  'an unknown user': rule('user_ids: [anna]'),
  'an unknown member': people('bem: developer'),
  'an unknown group': rule('group_ids: [platform/cor]'),
  'an unknown setting': settings('signup_enabld: true'),
  'an unknown branch': rule('protected_branch_ids: [mian]'),
  'an unknown runner': app('runners: {nobody: {}}'),
  'owner of a project': app('members: {ana: owner}'),
  'what creation lacks': app('members: {fay: {expires_at: 2030-01-01}}'),
  'the last owner': people('ana: developer'),
  'several mistakes': 'groups: {platform: {members: {ben: }}, projects: 1}\nsite: {setings: {}}',
}

/** How a file that stands here alone is called. */
const texts = (said: (typeof wrong)[string]): Readonly<Record<string, string>> =>
  typeof said === 'string' ? { 'f.yml': `version: 1\n${said}\n` } : said

it('says what is wrong in each of them, and where', async () => {
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
  const [all, right]: [string[], string[]] = [[], []]
  for (const [name, said] of Object.entries(wrong)) {
    const cwd = folder()
    for (const [path, text] of Object.entries(texts(said))) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), name === 'no UTF-8' ? Buffer.from(text, 'utf16le') : text)
    }
    const files = Object.keys(texts(said)).filter((path) => path.endsWith('.yml'))
    const { code, stdout, stderr } = await svcctl(['plan', ...files], { cwd, env })
    if (code !== 2 || stdout !== '') right.push(`${name}: ${code} ${stdout}`)
    all.push(`# ${name}\n${stderr.replaceAll(url(), 'https://svc.example')}`)
  }
  expect(right).toEqual([])
  expect(all.length).toBeGreaterThan(60)
  await expect(all.join('\n')).toMatchFileSnapshot('golden/desired-wrong.txt')
})
