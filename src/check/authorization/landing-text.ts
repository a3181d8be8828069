import { errorName } from '../../evidence/allow-list.ts'
import { type CompletedLanding, codeOf, errorOf, tokenMembersIn } from './landing-content.ts'

/** Where an authorization request ended, as a sentence without secrets: `it ended at the login page`. */
export function landingSentence(landing: CompletedLanding): string {
  if (landing.kind !== 'redirect') return `it ended at ${landingPhrase(landing)}`
  const error = errorOf(landing)
  if (error !== undefined) return `it was redirected with error=${errorName(error)}`
  return `it was redirected with ${codeOf(landing) === undefined ? 'neither code nor error' : 'a code'}`
}

/** Where an authorization request ended, as a noun phrase without secrets: `a 302 redirect with a code`. */
export function landingPhrase(landing: CompletedLanding): string {
  switch (landing.kind) {
    case 'redirect': {
      const { form, status } = landing
      const byPage = form ? 'a form post' : 'a redirect by a page'
      return `${status >= 300 ? `a ${status} redirect` : byPage} with ${contentOf(landing)}`
    }
    case 'login-page':
      return 'the login page'
    case 'consent-page':
      return 'the consent page'
    case 'page':
      return `a page with status ${landing.status}`
    default:
      return landing satisfies never
  }
}

function contentOf(landing: CompletedLanding): string {
  const error = errorOf(landing)
  const contents = [
    ...(error === undefined ? [] : [`error=${errorName(error)}`]),
    ...(codeOf(landing) === undefined ? [] : ['a code']),
    ...tokenMembersIn(landing),
  ]
  return contents.length === 0 ? 'neither code nor error' : contents.join(' and ')
}

/** A landing in one or two words that can be compared between runs. */
export function landingLabel(landing: CompletedLanding): string {
  if (landing.kind === 'page') return `page ${landing.status}`
  if (landing.kind !== 'redirect') return landing.kind
  const error = errorOf(landing)
  if (error !== undefined) return `error ${errorName(error)}`
  return codeOf(landing) === undefined ? 'neither code nor error' : 'code'
}
