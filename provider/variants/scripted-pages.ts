import { type Pages, plainPages } from '../identity/pages.ts'

function withScript(script: string): Pages {
  const scripted = (html: string) => html.replace('</body>', () => `<script>${script}</script></body>`)
  return {
    login: (view) => scripted(plainPages.login(view)),
    code: (view) => scripted(plainPages.code(view)),
    consent: (view) => scripted(plainPages.consent(view)),
    account: plainPages.account,
  }
}

/**
 * Login and consent in one document. A script sends the forms, fades out, and shows the next page or opens its address.
 */
export const singlePage: Pages = withScript(`
addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  const body = new URLSearchParams(new FormData(form, event.submitter))
  for (const button of form.querySelectorAll('button')) button.disabled = true
  const headers = { accept: 'application/json' }
  const response = await fetch(form.getAttribute('action'), { method: 'POST', headers, body })
  await document.querySelector('main').animate({ opacity: 0 }, 600).finished
  if (response.headers.get('content-type').startsWith('application/json')) {
    location = (await response.json()).next
  } else {
    const next = new DOMParser().parseFromString(await response.text(), 'text/html')
    document.querySelector('main').replaceWith(next.querySelector('main'))
  }
})`)

/** Pages that fade out before they send their form, except forms that give consent. */
export function fadingPages(milliseconds: number): Pages {
  return withScript(`
let faded = false
addEventListener('submit', async (event) => {
  if (faded || event.submitter.value === 'allow') return
  event.preventDefault()
  const fade = document.querySelector('main').animate({ opacity: 0 }, { duration: ${milliseconds}, fill: 'forwards' })
  await fade.finished
  faded = true
  event.target.requestSubmit(event.submitter)
})`)
}
