/** Members, billable members and their memberships. */
import {
  AccessLevel,
  AccessLevelName,
  Bool,
  Day,
  Int,
  maybe,
  nullable,
  Obj,
  Str,
  Timestamp,
  Unknown,
  UserSummary,
  Word,
} from './common.js'

const ofEach = {
  ...UserSummary.properties,
  access_level: AccessLevel,
  expires_at: nullable(Timestamp),
  email: maybe(nullable(Str({ description: 'for users with a public email address' }))),
  group_saml_identity: maybe(
    nullable(
      Obj(
        { extern_uid: Str(), provider: Str(), saml_provider_id: Int() },
        { description: 'shown to owners of groups with single sign-on' },
      ),
    ),
  ),
}
export const Member = Obj({ ...ofEach, created_at: Timestamp }, { title: 'Member' })
export const ListedMember = Obj(
  { ...ofEach, created_at: maybe(Timestamp) },
  { title: 'Listed member' },
)
/** What several members added at once are answered with. */
export const MembersAdded = Obj(
  {
    status: Word(['success', 'error']),
    message: maybe(Unknown({ description: 'error messages by username' })),
  },
  { title: 'Members added' },
)

export const BillableMember = Obj(
  {
    ...UserSummary.properties,
    email: maybe(nullable(Str())),
    last_activity_on: nullable(Day),
    membership_type: Word(['group_member', 'group_invite']),
    removable: Bool(),
    created_at: Timestamp,
  },
  { title: 'Billable member' },
)
export const Membership = Obj(
  {
    id: Int(),
    source_id: Int(),
    source_full_name: Str(),
    source_members_url: Str(),
    created_at: Timestamp,
    expires_at: nullable(Day),
    access_level: Obj({ string_value: AccessLevelName, integer_value: AccessLevel }),
  },
  { title: 'Membership' },
)
