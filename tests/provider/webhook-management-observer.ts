import { SECRET } from './webhook-fixture.ts'
import { asObject, type Fields, isEqual, isSuccess, type Observer } from './webhook-observer.ts'

/** Has the form of a token: a provider that accepts no token does not accept this one either. */
const accessToken = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzdWJqZWN0In0.c2lnbmF0dXJl'

/** Creates, lists, reads, updates and deletes subscriptions, with and without valid credentials. */
export async function observeManagement(observer: Observer): Promise<void> {
  const { fixture } = observer
  const fields = {
    target_url: `${fixture.url}?of=all`,
    event_filters: ['user.created', 'ClaimValuesChanged'],
  }
  const began = Date.now()
  const plain = await fixture.subscribe(fields)
  const described = await fixture.subscribe({ ...fields, description: 'ours' })
  observer.describes = isSuccess(described)
  const created = observer.describes ? described : plain
  const shown = asObject(created.json)
  observer.require('SUBSCRIPTION-CREATE', isSuccess(plain) && asObject(plain.json) !== undefined)
  observer.require('SUBSCRIPTION-DESCRIPTION', observer.describes)
  observer.requireSecretWithheld(plain, created)
  await observeRefusals(observer)
  if (!shown) return
  const { id, target_url, event_filters, status, created_at } = shown
  observer.require('SUBSCRIPTION-CREATE-ID', typeof id === 'string' && id !== '')
  observer.require('SUBSCRIPTION-CREATE-TARGET', target_url === fields.target_url)
  observer.require('SUBSCRIPTION-CREATE-FILTERS', isEqual(event_filters, fields.event_filters))
  observer.require('SUBSCRIPTION-CREATE-STATUS', typeof status === 'string')
  observer.require(
    'SUBSCRIPTION-CREATE-CREATED-AT',
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(String(created_at)) &&
      Math.abs(Date.parse(String(created_at)) - began) < 60_000,
  )
  if (typeof id === 'string') await observeOperations(observer, shown, fields.target_url)
}

async function observeOperations(observer: Observer, created: Fields, target: string): Promise<void> {
  const { fixture } = observer
  const id = String(created.id)
  const isOwn = (shown: Fields) => hasTarget(shown, target) && hasTypesOf(created, shown)
  const list = await fixture.manage('GET')
  const before = await fixture.manage('GET', `/${id}`)
  const listed = listedIn(list.json).find((subscription) => subscription.id === id)
  observer.require('SUBSCRIPTION-LIST', isSuccess(list) && listed !== undefined && isOwn(listed))
  const got = asObject(before.json)
  observer.require('SUBSCRIPTION-GET', isSuccess(before) && got?.id === id && isOwn(got))
  await observeUnauthenticated(observer, id)
  const changed = await fixture.manage('PATCH', `/${id}`, { event_filters: ['user.deleted'] })
  const after = await fixture.manage('GET', `/${id}`)
  if (!observer.broken.has('WEBHOOK-SUBSCRIPTION-CREDENTIALS')) {
    const refusals = [
      await fixture.manage('PATCH', `/${id}`, {}, {}),
      await fixture.manage('DELETE', `/${id}`, undefined, {}),
    ]
    observer.require(
      'SUBSCRIPTION-CREDENTIALS',
      refusals.every(({ text }) => !text.includes(id)),
    )
  }
  if (isSuccess(before)) {
    observer.require('SUBSCRIPTION-UPDATE', isSuccess(changed))
    observer.require('SUBSCRIPTION-UPDATE-RESPONSE', showsSubscription(changed.json, id, target))
    observer.require('SUBSCRIPTION-UPDATE', isEqual(after.json?.event_filters, ['user.deleted']))
    observer.require('SUBSCRIPTION-UPDATE', after.json?.description === before.json?.description)
  }
  const deleted = await fixture.manage('DELETE', `/${id}`)
  if (isSuccess(before)) {
    observer.require('SUBSCRIPTION-DELETE', isSuccess(deleted))
    const gone = await fixture.manage('GET', `/${id}`)
    observer.require('SUBSCRIPTION-DELETE', !isSuccess(gone) || gone.json?.status !== after.json?.status)
    const left = listedIn((await fixture.manage('GET')).json).find((subscription) => subscription.id === id)
    observer.require('SUBSCRIPTION-DELETE', left === undefined || left.status !== after.json?.status)
  }
  observer.requireSecretWithheld(list, before, changed, after, deleted)
}

async function observeRefusals(observer: Observer): Promise<void> {
  const flaws: [string, Fields][] = [
    ['TARGET-REQUIRED', { target_url: undefined }],
    ['SECRET-REQUIRED', { secret: undefined }],
    ['FILTERS-REQUIRED', { event_filters: undefined }],
    ['TARGET-HTTPS', { target_url: 'http://127.0.0.1:9/hook' }],
    ['SECRET-LENGTH', { secret: SECRET.slice(1) }],
  ]
  const { fixture } = observer
  for (const [id, flaw] of flaws) {
    const target_url = `${fixture.url}?flaw=${id}`
    const response = await fixture.subscribe(
      observer.withDescription({ description: 'flawed', target_url, ...flaw }),
    )
    const list = await fixture.manage('GET')
    observer.require(`SUBSCRIPTION-${id}`, !isSuccess(response) && !list.text.includes(target_url))
  }
}

async function observeUnauthenticated(observer: Observer, id: string): Promise<void> {
  const { fixture } = observer
  const partner = fixture.client.partner()
  const strangers: [string, Record<string, string>][] = [
    ['CREDENTIALS', {}],
    ['CREDENTIALS', { 'x-client-id': partner['x-client-id'] ?? '' }],
    ['CREDENTIALS', { 'x-client-secret': partner['x-client-secret'] ?? '' }],
    ['CREDENTIALS-WRONG', { ...partner, 'x-client-secret': 'wrong' }],
    ['CREDENTIALS-WRONG', { ...partner, 'x-client-id': 'wrong' }],
    ['NO-OAUTH', { 'x-client-id': partner['x-client-id'] ?? '', authorization: `Bearer ${accessToken}` }],
    ['NO-OAUTH', { authorization: `Bearer ${accessToken}` }],
  ]
  const { json } = await fixture.subscribe(observer.withDescription({ description: 'not to be deleted' }))
  for (const [requirement, headers] of strangers) {
    // A request that needs no secret needs no right one, and no token either.
    if (requirement !== 'CREDENTIALS' && observer.broken.has('WEBHOOK-SUBSCRIPTION-CREDENTIALS')) continue
    const responses = [
      await fixture.manage('GET', '', undefined, headers),
      await fixture.manage('GET', `/${id}`, undefined, headers),
      await fixture.manage('PATCH', `/${id}`, {}, headers),
    ]
    const reached = responses.some(
      (response) =>
        response.text.includes(fixture.url) || (isSuccess(response) && response.text.includes(id)),
    )
    const created = isSuccess(await fixture.subscribe({}, headers))
    const path = `/${asObject(json)?.id}`
    const isFound = async () => isSuccess(await fixture.manage('GET', path))
    const wasFound = await isFound()
    const deletion = await fixture.manage('DELETE', path, undefined, headers)
    const deleted = isSuccess(deletion) || (wasFound && !(await isFound()))
    observer.require(`SUBSCRIPTION-${requirement}`, !reached && !created && !deleted)
  }
}

function listedIn(json: Fields & { items?: Fields[]; subscriptions?: Fields[] }): Fields[] {
  return Array.isArray(json) ? json : (json?.items ?? json?.subscriptions ?? [])
}

/** Whether a response, which may show the subscription in a member or not at all, shows no other one. */
function showsSubscription(json: unknown, id: string, target: string): boolean {
  const body = asObject(json) ?? {}
  const parts = [body, ...Object.values(body)].map((part) => asObject(part) ?? {})
  return parts.every((part) => {
    const { status = '', event_filters: filters = [], created_at: at = '', ...shown } = part
    return (
      shown.target_url === undefined ||
      ((shown.id === undefined || shown.id === id) &&
        hasTarget(shown, target) &&
        [status, at].every((value) => typeof value === 'string') &&
        Array.isArray(filters))
    )
  })
}

/** Whether the members of a subscription, if any, are of the right types, unless they are wrong after its creation too. */
function hasTypesOf(created: Fields, shown: Fields): boolean {
  const rules: Record<string, (value: unknown) => boolean> = {
    status: (value) => typeof value === 'string',
    created_at: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    event_filters: Array.isArray,
  }
  return Object.entries(rules).every(
    ([name, isRight]) => !isRight(created[name]) || shown[name] === undefined || isRight(shown[name]),
  )
}

/** Whether a subscription, which may omit its target, shows no other one. */
function hasTarget({ target_url: shown }: Fields, target: string): boolean {
  return shown === undefined || shown === target
}
