import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LoginRecipe } from '../../src/browser/index.ts'
import { newUser, redirectUri } from './login-site.ts'
import { type Answer, html, redirect, type Site, startSite } from './site.ts'
import { TestBrowser } from './test-browser.ts'

const documentation = path.join(import.meta.dirname, '../../docs/login-recipes.md')
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-examples-'))
const landing = `${redirectUri}?code=c`
const user = newUser()

const form = (body: string) => `<form method="post">${body}</form>`
const named = 'name="user"'
const hidden = 'name="password" type="password"'

/** For each example of the documentation the pages it is for; the n-th is answered to the n-th form. */
const sites: Readonly<Record<string, readonly string[]>> = {
  'A cookie dialogue': [
    `<div style="position:fixed;inset:0;background:#fff9">We bake.
      <button onclick="this.parentNode.remove()">Accept all cookies</button></div>
      ${form(`<label>Email <input ${named}></label><label>Password <input ${hidden}></label><button>Sign in</button>
      <button type="button">Sign in with a friend</button>`)}`,
  ],
  'A page that scripts build': [
    `<div id="app"></div><form method="post"><input type="hidden" name="user"><input type="hidden" name="password"></form><script>
      const app = document.getElementById('app')
      const show = (html, next) => setTimeout(() => {
        app.innerHTML = html + '<button>Continue</button>'
        app.querySelector('button').onclick = next
      }, 150)
      const values = document.forms[0]
      const keep = (name) => { values[name].value = app.querySelector('input').value }
      show('<input id="field">', () => {
        keep('user')
        show('<input id="field" type="password">', () => {
          keep('password')
          show('<h1>Share your data with the shop</h1>', () => values.submit())
        })
      })
    </script>`,
  ],
  'Two pages and a one-time password': [
    form(`<input id="identifier" ${named}>`),
    form(`<input id="credential" ${hidden}><button>Weiter</button>`),
    form('<label>Einmalcode <input name="code"></label><button>Bestätigen</button>'),
  ],
  'A tenant to choose, and scripts from another host': [
    form(`<h1>Choose your organisation</h1><label>Organisation
      <select name="tenant"><option>Other Ltd</option><option>Example AG</option></select></label><button>Next</button>`),
    form(`<label>User <input ${named}></label><label>Password <input ${hidden}></label><button>Go</button>`),
  ],
  'A form in an iframe': ['<iframe id="login-frame" src="/frame"></iframe>'],
  'Consent and cancel': [
    `${form(`<label>Email <input ${named}></label><label>Password <input ${hidden}></label><button>Sign in</button>`)}
      <a href="#" onclick="document.body.innerHTML = document.querySelector('template').innerHTML">Leave</a>
      <template>Really? <button onclick="location.href='${redirectUri}?error=access_denied'">Yes, leave</button></template>`,
    form(`<div data-testid="consent"><label><input type="checkbox" required> I have read this</label>
      <button>Share my data</button></div>`),
  ],
}
const frame = `<base target="_top"><form method="post" action="/"><label>User <input ${named}></label>
  <label>Password <input ${hidden}></label><button>Go</button></form>`

const [, section = ''] = /^## Examples\n([\s\S]*?)\n## /m.exec(readFileSync(documentation, 'utf8')) ?? []
const examples = Object.fromEntries(
  section
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [, title = '', json = ''] = /^(.*)\n[\s\S]*```json\n([\s\S]*)\n```/.exec(text) ?? []
      return [title, JSON.parse(json) as LoginRecipe]
    }),
)

let pages: readonly string[] = []
let sent: Record<string, string> = {}
let answered = 0
let site: Site
let browser: TestBrowser

beforeAll(async () => {
  site = await startSite(({ method, url, form: values }): Answer => {
    if (url.pathname === '/frame') return html(frame)
    if (method === 'POST') {
      Object.assign(sent, Object.fromEntries(values))
      answered += 1
    }
    const page = pages[answered]
    return page === undefined ? redirect(landing) : html(page)
  })
  browser = await TestBrowser.start([site.host])
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await browser?.close()
  await site?.close()
})

async function follow(title: string, act: 'sign-in' | 'cancel') {
  pages = sites[title] ?? []
  sent = {}
  answered = 0
  const recipe = path.join(folder, 'recipe.json')
  writeFileSync(recipe, JSON.stringify(examples[title]))
  await using window = await browser.agent([site.host], { recipe })
  return await window.agent.authorize(new URL('/', site.origin), { redirectUri, act, user })
}

test('every example of the documentation is tried here', () => {
  expect(Object.keys(examples)).toEqual(Object.keys(sites))
})

test.each(Object.keys(sites))('%s', async (title) => {
  const ended = await follow(title, 'sign-in')
  expect(ended).toMatchObject({ kind: 'redirect', location: landing })
  expect(sent).toMatchObject({ user: user.name, password: user.password })
  if (title.includes('tenant')) expect(sent.tenant).toBe('Example AG')
  if (title.includes('one-time')) expect(sent.code).toMatch(/^\d{6}$/)
})

test('the example that cancels', async () => {
  const ended = await follow('Consent and cancel', 'cancel')
  expect(ended).toMatchObject({ kind: 'redirect', location: `${redirectUri}?error=access_denied` })
})
