import { setTimeout as sleep } from 'node:timers/promises'
import { type Alter, withSurface } from '../alteration.ts'
import type { Behaviour } from '../behaviour.ts'
import { editResponse, showPages } from '../edits.ts'
import { type HttpRequest, type HttpResponse, jsonResponse } from '../http.ts'
import { callbackOf } from '../identity/responses.ts'
import { assetOf, pagesWithAssets } from './pages-with-assets.ts'
import { fadingPages, singlePage } from './scripted-pages.ts'

/**
 * Delays the responses to forms of login and consent pages.
 * @param turns delays in milliseconds: of the first form, the second form, and so on; after the last, the first again
 */
function answerAfter(...turns: readonly number[]): Alter {
  return ({ idp }) => {
    let answers = 0
    idp.interactions.push(async (_, { method }) => {
      if (method !== 'POST') return
      await sleep(turns[answers % turns.length])
      answers += 1
    })
  }
}

/** Returns the next address as JSON to a script, in place of a redirect. */
function answerScripts(response: HttpResponse, { headers }: HttpRequest): void {
  const { location } = response.headers
  if (headers.accept === 'application/json' && typeof location === 'string')
    Object.assign(response, jsonResponse(200, { next: location }))
}

const common = {
  concerns: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED'],
  mustPass: ['AUTHZ-CODE-FLOW', 'AUTHZ-USER-CANCEL', 'AUTHZ-CONSENT-REFUSED', 'AUTHZ-STATE-REQUIRED'],
  unspecified: 'How long a login takes is not specified.',
}

/** Slow login and consent pages. */
export const pagePaceVariants = withSurface('authorization', [
  {
    ...common,
    name: 'forms-answered-late',
    proofWaits: true,
    summary: 'Takes 1 s, 3 s and 8 s in turn to process the forms of login and consent pages.',
    alter: answerAfter(1000, 3000, 8000),
  },
  {
    ...common,
    name: 'scripts-answered-late',
    proofWaits: true,
    summary:
      'Shows login and consent on one page with scripts, and takes 8 s, 3 s and 1 s in turn to process their requests.',
    alter: (behaviour: Behaviour) => {
      answerAfter(8000, 3000, 1000)(behaviour)
      behaviour.idp.pages = singlePage
      behaviour.idp.interactions.push(answerScripts)
    },
  },
  {
    ...common,
    name: 'pages-fade-out',
    summary: 'Fades out login and consent pages for 0.6 s before they send a login or a cancellation.',
    alter: showPages(fadingPages(600)),
  },
  {
    ...common,
    name: 'pages-fade-out-slowly',
    proofWaits: true,
    summary: 'Fades out login and consent pages for 2.5 s before they send a login or a cancellation.',
    alter: showPages(fadingPages(2500)),
  },
  {
    ...common,
    name: 'pages-with-25-assets',
    summary: 'Loads 25 assets on login and consent pages, whose forms a script shows.',
    alter: ({ idp }: Behaviour) => {
      idp.pages = pagesWithAssets
      idp.interceptors.push(assetOf)
    },
  },
  {
    ...common,
    name: 'cancellation-redirected-late',
    proofWaits: true,
    summary: 'Waits 2.5 s before it redirects a user who has cancelled to the application.',
    alter: editResponse('authorization', async (response, request) => {
      const callback = callbackOf(response, request)
      if (callback?.searchParams.get('error') === 'access_denied') await sleep(2500)
    }),
  },
])
