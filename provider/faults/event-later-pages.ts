import { withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'

const DAY = 24 * 3_600_000

/** Returns a function that reports whether the current search requests a page other than the first. */
function watchPage({ hub }: Behaviour): () => boolean {
  let isLater = false
  hub.interceptors.push(({ query }) => {
    isLater = Number(query.get('page')) >= 1
    return undefined
  })
  return () => isLater
}

/** Validations that the hub omits on later pages. */
export const eventLaterPageFaults = withSurface('hub', [
  {
    name: 'to-optional-on-later-pages',
    summary: 'Accepts a search without `to` for any page except the first.',
    violates: ['EVENT-TO-REQUIRED'],
    alter: (behaviour: Behaviour) => {
      const isLater = watchPage(behaviour)
      behaviour.hub.fallbackTime = (reason, parameter, other) =>
        reason === 'missing' && parameter === 'to' && other !== undefined && isLater()
          ? other + DAY
          : undefined
    },
  },
  {
    name: 'offset-in-from-accepted-on-later-pages',
    summary: 'Ignores an offset of `from` on every page after the first one.',
    violates: ['EVENT-TIME-OFFSET-REJECTED'],
    alter: (behaviour: Behaviour) => {
      const isLater = watchPage(behaviour)
      const { parseTime } = behaviour.hub
      behaviour.hub.parseTime = (text, parameter) =>
        parseTime(
          parameter === 'from' && isLater() ? text.replace(/[+-]\d\d:?(\d\d)?$/, '') : text,
          parameter,
        )
    },
  },
  {
    name: 'page-size-of-letters-accepted-on-later-pages',
    summary: 'Interprets a `pageSize` of letters as 10 on every page after the first one.',
    violates: ['EVENT-PAGINATION-MALFORMED'],
    alter: (behaviour: Behaviour) => {
      const isLater = watchPage(behaviour)
      const { parsePageSize } = behaviour.hub
      behaviour.hub.parsePageSize = (text) => (isLater() && /^[a-z]+$/i.test(text) ? 10 : parsePageSize(text))
    },
  },
  {
    name: 'unentitled-partner-served-on-later-pages',
    summary: 'Returns every page after the first one to a partner without the Event Hub.',
    violates: ['EVENT-UNENTITLED'],
    alter: (behaviour: Behaviour) => {
      const isLater = watchPage(behaviour)
      const { entitled } = behaviour.hub
      behaviour.hub.entitled = (partner) => isLater() || entitled(partner)
    },
  },
])
