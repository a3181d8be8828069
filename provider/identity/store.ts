import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Models with records that belong to a grant, and are revoked with it. */
const GRANTABLE = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])
const WRITES_BETWEEN_SWEEPS = 500

interface Entry {
  payload: AdapterPayload
  /** Milliseconds since the epoch. */
  expires: number
  /** Milliseconds since the epoch; unset while unused. */
  usedAt?: number
}

interface StoreOptions {
  /** Whether revoking a grant removes its records. */
  revokeFamilies: boolean
  /** Whether a record that was used this many milliseconds ago may be used again. */
  reusable: (model: string, usedMillisecondsAgo: number) => boolean
  /** Creates the error for the second use of a record. */
  usedError: () => Error
}

/**
 * Keeps the records of one provider in memory, without a maximum number. `consume` is atomic: of several concurrent
 * requests with one record, only one succeeds. With oidc-provider's default adapter, all of them succeed.
 */
export class Store {
  private readonly entries = new Map<string, Entry>()
  private readonly byGrant = new Map<string, Set<string>>()
  private readonly sessions = new Map<string, string>()
  private writes = 0
  private readonly options: StoreOptions

  constructor(options: StoreOptions) {
    this.options = options
  }

  adapter(model: string): Adapter {
    const key = (id: string) => `${model}:${id}`
    return {
      upsert: async (id, payload, expiresIn) => {
        this.write(key(id), payload, expiresIn)
        if (model === 'Session' && payload.uid) this.sessions.set(payload.uid, id)
        if (payload.grantId && GRANTABLE.has(model)) {
          const family = this.byGrant.get(payload.grantId) ?? new Set()
          this.byGrant.set(payload.grantId, family.add(key(id)))
        }
      },
      find: async (id) => this.read(model, id),
      findByUserCode: async () => undefined,
      findByUid: async (uid) => {
        const id = this.sessions.get(uid)
        return id === undefined ? undefined : this.read(model, id)
      },
      consume: async (id) => {
        const entry = this.entries.get(key(id))
        if (!entry || (entry.usedAt !== undefined && !this.reusable(model, entry)))
          throw this.options.usedError()
        entry.usedAt ??= Date.now()
      },
      destroy: async (id) => {
        this.entries.delete(key(id))
      },
      revokeByGrantId: async (grantId) => {
        if (!this.options.revokeFamilies) return
        for (const member of this.byGrant.get(grantId) ?? []) this.entries.delete(member)
        this.byGrant.delete(grantId)
      },
    }
  }

  private reusable(model: string, { usedAt }: Entry): boolean {
    return usedAt !== undefined && this.options.reusable(model, Date.now() - usedAt)
  }

  private read(model: string, id: string): AdapterPayload | undefined {
    const entry = this.entries.get(`${model}:${id}`)
    if (!entry || entry.expires <= Date.now()) return undefined
    if (entry.usedAt === undefined || this.reusable(model, entry)) return entry.payload
    return { ...entry.payload, consumed: Math.floor(entry.usedAt / 1000) }
  }

  private write(key: string, payload: AdapterPayload, expiresIn: number | undefined): void {
    const expires = expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY
    this.entries.set(key, { payload, expires })
    this.writes += 1
    if (this.writes % WRITES_BETWEEN_SWEEPS === 0) this.sweep()
  }

  /** Removes expired records. */
  private sweep(): void {
    const now = Date.now()
    for (const [key, { expires }] of this.entries) if (expires <= now) this.entries.delete(key)
    for (const [grant, members] of this.byGrant) {
      for (const member of members) if (!this.entries.has(member)) members.delete(member)
      if (members.size === 0) this.byGrant.delete(grant)
    }
    for (const [uid, id] of this.sessions) if (!this.entries.has(`Session:${id}`)) this.sessions.delete(uid)
  }
}
