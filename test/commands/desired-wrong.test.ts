/** Tests the complete output for many wrong files, so that a rewrite of the file reader loses no position and no hint. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { useSharedSandbox } from '../sandbox/instance.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const { url } = useSharedSandbox()

const buildProject = (text: string): string => `projects: {platform/app: {${text}}}`
const buildRule = (text: string): string => buildProject(`approval_rules: {Security: {${text}}}`)
const buildRules = (text: string): string => buildProject(`approval_rules: {${text}}`)
const buildMembers = (text: string): string => `groups: {platform: {members: {${text}}}}`
const buildSettings = (text: string): string => `site: {settings: {${text}}}`
const buildIntegration = (text: string): string =>
  buildProject(`integrations: {chat: {family: chat-webhook, ${text}}}`)

/** Wrong texts below `version: 1`, by what is wrong with them. Several files are given by their names. */
const wrong: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  // YAML
  'no YAML': 'groups: {platform: [}',
  'an unquoted at sign': buildIntegration('webhook: @secret.txt'),
  'a command in a flow map': buildIntegration('webhook: command:["pass", "x"]'),
  'unquoted stars': 'groups: {**: {members: {}}}',
  'a backtick': buildMembers('`ana`: developer'),
  'a list as document': { 'f.yml': '- version: 1\n' },
  'nothing at all': { 'f.yml': '' },
  'no UTF-8': { 'f.yml': 'version: 1 # \uFFFD' },
  'a key twice': buildMembers('ana: developer, ana: guest'),
  'an unknown alias': buildMembers('ana: *who'),
  'merge keys': 'site: {settings: {<<: [], after_sign_up_text: a}}',
  'a list as key': buildMembers('[ana]: developer'),
  'an empty key': buildMembers("'': developer"),
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
  'an unknown team': buildMembers('team:nobody: developer'),
  'teams in a circle': 'teams: {a: {teams: [b]}, b: {teams: [a]}}',
  'a range that is none': buildRule('approvals_required: {min: 3, max: 2}'),
  'a project of nothing': 'projects: {platform/app: null}',
  'a project as text': 'projects: {platform/app: text}',
  // kinds
  'an unknown kind': buildProject('approvel_rules: {}'),
  'a kind of another place': buildProject('settings: {}'),
  'a kind as null': buildProject('approval_rules: null'),
  'a kind that cannot be deleted': buildProject('approvals: null'),
  'a list of members': 'groups: {platform: {members: [ana, ben]}}',
  'rules as map': 'site: {runners: {a: {}}}',
  'a rule as text': 'site: {runners: [shared]}',
  'a rule without set': 'site: {runners: [{match: {id: 1}}]}',
  'a rule with more': 'site: {runners: [{match: {id: 1}, set: {}, sett: {}}]}',
  'a rule for nothing': 'site: {runners: [{match: {}, set: {}}]}',
  'a rule for an unknown field': 'site: {runners: [{match: {descripton: a}, set: {}}]}',
  'an unknown word': buildRules('$exactly: true'),
  'a word of no meaning': buildRules('$foo: true'),
  'exact as text': buildRules("$exact: 'yes'"),
  'exact twice': {
    'a.yml': `version: 1\n${buildRules('$exact: true')}\n`,
    'b.yml': `version: 1\n${buildRules('$exact: true')}\n`,
  },
  'exact where nothing is deleted': buildSettings('$exact: true'),
  'inherit as number': buildRules('$inherit: 0'),
  'a resource group as null': buildProject('resource_groups: {production: null}'),
  // items
  'an item without a value': buildMembers('ben:'),
  'commented lines': 'groups:\n  platform:\n    members:\n      ben:\n#       access_level: guest',
  'an item as list': buildMembers('ana: [developer]'),
  'an item as text': buildRules('Security: two'),
  'an item that is null and there': {
    'a.yml': `version: 1\n${buildRules('Security: null')}\n`,
    'b.yml': `version: 1\n${buildRules('Security: {}')}\n`,
  },
  'an item that is null twice': {
    'a.yml': `version: 1\n${buildRules('Security: null')}\n`,
    'b.yml': `version: 1\n${buildRules('Security: null')}\n`,
  },
  'digits that are no ID': buildMembers('007: developer'),
  'an attribute twice': {
    'a.yml': `version: 1\n${buildRule('approvals_required: 1')}\n`,
    'b.yml': `version: 1\n${buildRule('approvals_required: 1')}\n`,
  },
  'an unknown attribute': buildRule('approval_required: 2'),
  'an attribute nobody knows': buildRule('zzz: 2'),
  'the name as attribute': buildRule('name: Security'),
  'a deprecated attribute': buildProject('approvals: {approvals_before_merge: 1}'),
  'what is present': buildIntegration('active: false'),
  'previously itself': buildRule('previously: [Security]'),
  'previously as map': buildRule('previously: {a: b}'),
  'previously of what cannot be renamed': buildMembers('ana: {previously: [anna]}'),
  'previously of a declared one': buildRules('A: {previously: [B]}, B: {}'),
  'an unknown family': buildProject('integrations: {chat: {family: chat-web}}'),
  'no family': buildProject('integrations: {chat: {webhook: {env: X}}}'),
  'another family': buildProject(
    'integrations: {emails-on-push: {family: chat-webhook, webhook: {env: X}}}',
  ),
  'an attribute of another family': buildIntegration('recipients: a@example.test'),
  'other as text': buildRule('$other: a'),
  'other of what is known': buildRule('$other: {approvals_required: 1}'),
  'other of settings': buildSettings('$other: {a: 1}'),
  // values
  'text for a number': buildRule('approvals_required: many'),
  'a fraction': buildRule('approvals_required: 1.5'),
  'a number out of range': buildRule('approvals_required: -1'),
  'a word for a boolean': buildProject('approvals: {reset_approvals_on_push: yes}'),
  'an unknown level': buildMembers('ana: {access_level: develper}'),
  'an unknown value of an enumeration': buildRule('rule_type: regulr'),
  'text for a list': buildRule('user_ids: ana'),
  'an attribute without a value': buildRule('user_ids:'),
  'a list with nothing in it':
    'projects:\n  platform/app:\n    approval_rules:\n      Security:\n        user_ids:\n        - ana\n        -',
  'null of what cannot be unset': buildRule('approvals_required: null'),
  'null of what creation needs': buildMembers('ana: {access_level: null}'),
  'a wrong date': buildMembers('ana: {access_level: guest, expires_at: soon}'),
  'an unknown change of a list': buildRule('user_ids: {$plus: [ana]}'),
  'a change of what is no list': buildRule('approvals_required: {$add: [1]}'),
  'a member added and removed': buildRule('user_ids: {$add: [ana], $remove: [Ana]}'),
  'a number that is none': buildSettings('a: .inf'),
  'a number that is too large': buildSettings('a: 12345678901234567890'),
  'a wrong key': buildProject("deploy_keys: {laptop: 'AAAA'}"),
  'one key under two names': buildProject(
    "deploy_keys: {a: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw', b: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6yD2mlIRgmyZvFPGkn4Cdyc8N+EhUUpU0wIlFcpnnw x'}",
  ),
  // secrets and files
  'a secret in the file': buildIntegration('webhook: https://chat.example/hook'),
  'a secret as list': buildIntegration('webhook: [a]'),
  'a secret of two sources': buildIntegration('webhook: {env: A, file: b}'),
  'an unknown source': buildIntegration('webhook: {enf: A}'),
  'a variable that is none': buildIntegration("webhook: {env: 'A B'}"),
  'a credential of the tool': buildIntegration('webhook: {env: SVC_TOKEN}'),
  'a command that is not allowed': buildIntegration('webhook: {command: [pass, x]}'),
  'a command without a program': buildIntegration('webhook: {command: pass}'),
  'a file outside': buildIntegration('webhook: {file: ../../x}'),
  'a file that is not there': buildProject('deploy_keys: {a: {key: {file: a.pub}}}'),
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
  'a list of teams without users': `teams: {none: {users: []}}\n${buildRule('user_ids: [team:none]')}`,
  'two teams that differ': `teams: {a: {users: [eva]}, b: {users: [eva]}}\n${buildMembers('team:a: {access_level: guest, expires_at: 2031-01-01}, team:b: {access_level: guest, expires_at: 2032-01-01}')}`,
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
  'what the folder does not own': `owns: [site]\n${buildProject('approvals: {}')}`,
  'what another folder owns': {
    'a/f.yml': 'version: 1\nowns: [projects/platform/app]\n',
    'b/f.yml': `version: 1\n${buildProject('approvals: {}')}\n`,
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
    'b/f.yml': `version: 1\n${buildMembers('team:leads: developer')}\n`,
  },
  // ranges and formats
  'a range of an unknown word': buildRule('approvals_required: {mni: 1}'),
  'a range of nothing': buildRule('approvals_required: {}'),
  'a range with one of': buildRule('approvals_required: {min: 1, one_of: [2]}'),
  'a least value as list': buildRule('approvals_required: {min: [1]}'),
  'one of as text': buildRule('approvals_required: {one_of: 1}'),
  'one of nothing': buildRule('approvals_required: {one_of: [null]}'),
  'a list where text is': buildSettings('after_sign_up_text: [a]'),
  'a map in a list': buildSettings('domain_allowlist: [{a: 1}]'),
  'text with a NUL': buildSettings('after_sign_up_text: "a\\0b"'),
  'a name without a text': buildRule("user_ids: ['']"),
  'text for PEM': buildProject('pages_domains: {www.example.test: {certificate: AAAA}}'),
  'a private key as certificate': {
    'f.yml': `version: 1\n${buildProject('pages_domains: {www.example.test: {certificate: {file: a.txt}}}')}\n`,
    'a.txt': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
  },
  'a rule for a field nobody knows': 'site: {runners: [{match: {zzz: a}, set: {}}]}',
  'a rule for a map': 'site: {runners: [{match: {id: {a: 1}}, set: {}}]}',
  'a rule with a word nobody knows': 'site: {runners: [{match: {id: 1}, set: {}, zzz: {}}]}',
  'a kind nobody knows': buildProject('zzz: {}'),
  'a key nobody knows': 'zzz: {}',
  'an attribute that a family requires': buildIntegration('webhook: null'),
  // errors that only the instance can find
  'a project that is not there': 'projects: {platform/ap: {approvals: {}}}',
  'a group that is not there': 'groups: {platfrm: {members: {}}}',
  'an unknown user': buildRule('user_ids: [anna]'),
  'an unknown member': buildMembers('bem: developer'),
  'an unknown group': buildRule('group_ids: [platform/cor]'),
  'an unknown setting': buildSettings('signup_enabld: true'),
  'an unknown branch': buildRule('protected_branch_ids: [mian]'),
  'an unknown runner': buildProject('runners: {nobody: {}}'),
  'owner of a project': buildProject('members: {ana: owner}'),
  'what creation lacks': buildProject('members: {fay: {expires_at: 2030-01-01}}'),
  'the last owner': buildMembers('ana: developer'),
  'several mistakes': 'groups: {platform: {members: {ben: }}, projects: 1}\nsite: {setings: {}}',
}

/** Gives a single text the name `f.yml`, and returns several files as they are. */
const toFiles = (said: (typeof wrong)[string]): Readonly<Record<string, string>> =>
  typeof said === 'string' ? { 'f.yml': `version: 1\n${said}\n` } : said

it('says what is wrong in each of them, and where', async () => {
  const env = { SVC_TOKEN: 'sandbox-root-token', SVC_BASE_URL: url() }
  const [all, right]: [string[], string[]] = [[], []]
  for (const [name, said] of Object.entries(wrong)) {
    const cwd = createFolder()
    for (const [path, text] of Object.entries(toFiles(said))) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), name === 'no UTF-8' ? Buffer.from(text, 'utf16le') : text)
    }
    const files = Object.keys(toFiles(said)).filter((path) => path.endsWith('.yml'))
    const { code, stdout, stderr } = await svcctl(['plan', ...files], { cwd, env })
    if (code !== 2 || stdout !== '') right.push(`${name}: ${code} ${stdout}`)
    all.push(`# ${name}\n${stderr.replaceAll(url(), 'https://svc.example')}`)
  }
  expect(right).toEqual([])
  expect(all.length).toBeGreaterThan(60)
  await expect(all.join('\n')).toMatchFileSnapshot('golden/desired-wrong.txt')
})
