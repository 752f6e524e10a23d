"""Calls of python-gitlab, as its documentation writes them. Prints what each gave, as one JSON object."""
import json
import sys

import gitlab

url, token = sys.argv[1:]
gl = gitlab.Gitlab(url, private_token=token)
gave = {}


def call(name):
    def run(function):
        try:
            gave[name] = function()
        except Exception as error:
            code = getattr(error, 'response_code', None)
            gave[name] = f'{type(error).__name__} {code} {getattr(error, "error_message", error)}'
        return function

    return run


gl.auth()
project = gl.projects.get('platform/app')


@call('who and what')
def _():
    return [gl.user.username, gl.version()[0], gl.personal_access_tokens.get('self').name != '']


@call('pages')
def _():
    one = gl.runners_all.list(per_page=5, page=2)
    lazy = gl.projects.list(iterator=True, per_page=4)
    return [
        len(one),
        lazy.total,
        len(list(lazy)) == lazy.total,
        len(gl.projects.list(get_all=True, per_page=4)) == lazy.total,
        len(list(gl.projects.list(pagination='keyset', order_by='id', per_page=4, iterator=True)))
        == lazy.total,
    ]


@call('runners')
def _():
    runner = gl.runners.get(1)
    runner.description = 'of a client'
    runner.tag_list = ['linux', 'big']
    runner.save()
    again = gl.runners.get(1)
    listed = [one.id for one in gl.runners_all.list(tag_list='linux,big', get_all=True)]
    return [again.description, again.tag_list, listed, len(again.jobs.list(get_all=True)) > 0]


@call('enabled runners')
def _():
    mine = [one.id for one in project.runners.list(type='project_type', get_all=True)]
    return len(mine) > 0


@call('members')
def _():
    docs = gl.projects.get('web/docs')
    gus = gl.users.list(username='gus')[0]
    member = docs.members.create({'user_id': gus.id, 'access_level': gitlab.const.DEVELOPER_ACCESS})
    member.access_level = gitlab.const.MAINTAINER_ACCESS
    member.save()
    level = docs.members.get(gus.id).access_level
    listed = any(one.id == gus.id for one in docs.members_all.list(get_all=True))
    docs.members.delete(gus.id)
    return [member.username, level, listed, len(docs.members.list(query='gus'))]


@call('labels')
def _():
    label = project.labels.create({'name': 'of a client', 'color': '#8899aa'})
    label.description = 'written'
    label.save()
    found = project.labels.get(label.id).description
    label.delete()
    return [found, [one.name for one in project.labels.list(search='of a client')]]


@call('issues')
def _():
    issue = project.issues.create({'title': 'of a client', 'description': 'text', 'labels': ['bug']})
    issue.state_event = 'close'
    issue.save()
    spent = issue.add_spent_time('2h')
    issue.time_estimate('1d')
    stats = project.issues.get(issue.iid).time_stats()
    listed = [one.title for one in project.issues.list(state='closed', labels=['bug'], search='of a client')]
    issue.todo()
    state = project.issues.get(issue.iid).state
    issue.delete()
    return [state, spent['total_time_spent'], stats['time_estimate'], listed]


@call('merge requests')
def _():
    request = project.mergerequests.get(1)
    listed = project.mergerequests.list(state='opened', order_by='updated_at', per_page=3, get_all=False)
    approvals = request.approvals.get()
    rules = project.approvalrules.list()
    return [request.iid, len(listed) > 0, approvals.approvals_required, len(rules) > 0]


@call('approval rules')
def _():
    rule = project.approvalrules.create({'name': 'of a client', 'approvals_required': 2})
    project.approvalrules.update(rule.id, {'name': 'of a client', 'approvals_required': 1})
    required = [one.approvals_required for one in project.approvalrules.list() if one.name == 'of a client']
    rule.delete()
    return required


@call('branches')
def _():
    branch = project.branches.create({'branch': 'of-a-client', 'ref': 'main'})
    guarded = project.protectedbranches.create(
        {'name': 'of-a-client', 'merge_access_level': 30, 'push_access_level': 40}
    )
    levels = guarded.merge_access_levels[0]['access_level']
    guarded.delete()
    branch.delete()
    return [branch.name, levels]


@call('commits')
def _():
    commit = project.commits.create(
        {
            'branch': 'main',
            'commit_message': 'Write as a client [skip ci]',
            'actions': [{'action': 'create', 'file_path': 'client.txt', 'content': 'x\n'}],
        }
    )
    diff = commit.diff()
    refs = [one['name'] for one in commit.refs('branch')]
    return [commit.title, diff[0]['new_path'], refs, project.commits.list()[0].id == commit.id]


@call('pipelines')
def _():
    pipeline = project.pipelines.list()[0]
    jobs = pipeline.jobs.list(get_all=True)
    job = project.jobs.get(jobs[0].id)
    return [project.pipelines.get(pipeline.id).id == pipeline.id, job.pipeline['id'] == pipeline.id]


@call('artifacts')
def _():
    docs = gl.projects.get(6)
    archive = docs.artifacts.download(ref_name='main', job='build')
    return archive[:2].decode()


@call('CI lint')
def _():
    good = project.ci_lint.create({'content': 'a: {script: x}'})
    wrong = project.ci_lint.create({'content': 'a: {script: 1}'})
    return [good.valid, wrong.valid, wrong.errors]


@call('deploy keys')
def _():
    key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0cnXvh0kIjYJN2v6x5Tq5bTz3U6TtAVpPZmQ6yRrjN'
    made = project.keys.create({'title': 'of a client', 'key': key})
    made.title = 'renamed'
    made.save()
    titles = [one.title for one in project.keys.list() if one.id == made.id]
    made.delete()
    return [titles, len(gl.deploykeys.list()) > 0]


@call('groups')
def _():
    group = gl.groups.get('platform')
    below = gl.groups.create({'name': 'Of a client', 'path': 'of-a-client', 'parent_id': group.id})
    full = below.full_path
    below.delete()
    return [full, len(group.members_all.list(get_all=True)) > 0, len(group.issues.list()) > 0]


@call('users')
def _():
    user = gl.users.create(
        {'email': 'c@example.test', 'username': 'client', 'name': 'Client', 'password': 'client-2026-long'}
    )
    blocked = user.block()
    state = gl.users.get(user.id).state
    user.unblock()
    user.delete()
    return [blocked, state]


@call('events')
def _():
    pushed = gl.events.list(action='pushed', get_all=True)
    return [all(one.action_name.startswith('pushed') for one in pushed), len(project.events.list(get_all=True)) > 0]


@call('settings')
def _():
    settings = gl.settings.get()
    before = settings.signup_enabled
    settings.signup_enabled = not before
    settings.save()
    return gl.settings.get().signup_enabled is not before


@call('integrations')
def _():
    return sorted(one.slug for one in project.integrations.list())


@call('Pages domains')
def _():
    return len(gl.pagesdomains.list()) > 0


@call('replication nodes')
def _():
    return [one.name for one in gl.geonodes.list()]


@call('acting as somebody else')
def _():
    return [gl.http_get('/user', sudo='ana')['username'], len(gl.projects.list(owned=True, sudo='ana'))]


@call('a record that does not exist')
def _():
    return gl.projects.get('no/such').id


@call('a value that is refused')
def _():
    runner = gl.runners.get(1)
    runner.access_level = 'none'
    runner.save()


@call('a wrong token')
def _():
    gitlab.Gitlab(url, private_token='wrong').auth()


@call('nobody')
def _():
    return len(gitlab.Gitlab(url).projects.list(get_all=True)) > 0


print(json.dumps(gave))
