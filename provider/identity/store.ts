import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Models whose records belong to a grant and fall with it. */
const GRANTABLE = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])
const SWEEP_EVERY = 500

interface Entry {
  payload: AdapterPayload
  /** Milliseconds since the epoch. */
  expires: number
}

/** Raised when a record is consumed that was already consumed: of several racing requests, one wins. */
export class AlreadyConsumed extends Error {}

/**
 * Records of one provider, in memory, without a limit on their number.
 *
 * `consume` is atomic: it succeeds once per record. The default adapter of oidc-provider lets two requests that
 * looked a token up at the same time both consume it.
 */
export class Store {
  private readonly entries = new Map<string, Entry>()
  private readonly byGrant = new Map<string, Set<string>>()
  private readonly sessions = new Map<string, string>()
  private writes = 0
  private readonly revokeFamilies: boolean
  private readonly lost: () => Error

  /**
   * @param revokeFamilies whether revoking a grant removes its records
   * @param lost makes the error for a consumption that came second
   */
  constructor(revokeFamilies: boolean, lost: () => Error = () => new AlreadyConsumed()) {
    this.revokeFamilies = revokeFamilies
    this.lost = lost
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
      find: async (id) => this.read(key(id)),
      findByUserCode: async () => undefined,
      findByUid: async (uid) => {
        const id = this.sessions.get(uid)
        return id === undefined ? undefined : this.read(key(id))
      },
      consume: async (id) => {
        const payload = this.read(key(id))
        if (!payload || payload.consumed) throw this.lost()
        payload.consumed = Math.floor(Date.now() / 1000)
      },
      destroy: async (id) => {
        this.entries.delete(key(id))
      },
      revokeByGrantId: async (grantId) => {
        if (!this.revokeFamilies) return
        for (const member of this.byGrant.get(grantId) ?? []) this.entries.delete(member)
        this.byGrant.delete(grantId)
      },
    }
  }

  private read(key: string): AdapterPayload | undefined {
    const entry = this.entries.get(key)
    return entry && entry.expires > Date.now() ? entry.payload : undefined
  }

  private write(key: string, payload: AdapterPayload, expiresIn: number | undefined): void {
    this.entries.set(key, {
      payload,
      expires: expiresIn ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY,
    })
    this.writes += 1
    if (this.writes % SWEEP_EVERY === 0) this.sweep()
  }

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
