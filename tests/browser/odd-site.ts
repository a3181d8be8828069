import { redirectUri, user } from './login-site.ts'
import { type Answer, html, type Received, redirect, type Site, startSite } from './site.ts'

const landing = `${redirectUri}?code=c`

/** Login pages for which users write recipes, and pages that misbehave. */
const pages: Readonly<Record<string, string>> = {
  scripted: `<div id="usercentrics-root"></div><div id="app"></div><script>
      const root = document.getElementById('usercentrics-root')
      root.attachShadow({ mode: 'open' }).innerHTML = '<div style="position:fixed;inset:0;background:#fff9"><button>Fine with me</button></div>'
      root.shadowRoot.querySelector('button').onclick = () => root.remove()
      const app = document.getElementById('app')
      let name = ''
      const show = (title, field, next) => setTimeout(() => {
        app.innerHTML = '<h1>' + title + '</h1>' + field + '<button>Continue</button>'
        app.querySelector('button').onclick = next
      }, 150)
      show('Welcome', '<input id="field">', () => {
        name = field.value
        show('Welcome', '<input id="field" type="password">', async () => {
          const body = new URLSearchParams({ x1: name, x2: field.value })
          const answer = await fetch('/login?page=scripted', { method: 'POST', body })
          if (answer.status === 200) show('Share your data', '', () => { location.href = ${JSON.stringify(landing)} })
        })
      })
    </script>`,
  swapped: `<div id="app"><button type="button">Begin</button></div><script>
      document.querySelector('button').onclick = () => {
        app.innerHTML = '<form method="post" action="/login?page=swapped"><label>Email <input name="x1"></label>' +
          '<label>Password <input name="x2" type="password"></label><button>Sign in</button></form>'
      }
    </script>`,
  drawn: '<p>Members</p><a href="/page/drawn-form">Log in here</a>',
  'drawn-form': `<form method="post" action="/login?page=drawn">
      <select name="tenant"><option>Red</option><option>Blue</option></select>
      <p>Who? <input name="x1"></p><p>Proof? <input name="x2" type="password" id="f-83719920"></p>
      <p><input type="checkbox" id="agree" name="agree" style="position:absolute;opacity:0"><label for="agree">I agree</label></p>
      <b onclick="this.parentNode.submit()">Open sesame</b></form>`,
  boxes: `<form method="post" action="/login?page=boxes"><label>Email <input name="x1"></label>
      <label>Password <input name="x2" type="password"></label><button>Sign in</button></form>`,
  'boxes-code': `<form method="post" action="/code"><input type="hidden" name="code">${[1, 2, 3, 4, 5, 6]
    .map((digit) => `<input class="box" maxlength="1" inputmode="numeric" aria-label="Digit ${digit}">`)
    .join('')}</form><script>
      const boxes = [...document.querySelectorAll('.box')]
      for (const [index, box] of boxes.entries()) box.oninput = () => {
        if (boxes[index + 1]) return boxes[index + 1].focus()
        document.forms[0].code.value = boxes.map((each) => each.value).join('')
        document.forms[0].submit()
      }
    </script>`,
  named: `<form action="/page/named-password"><label>Email <input name="x1"></label><button>Next</button></form>`,
  'named-password': `<form method="post" action="/login?page=named"><input type="hidden" name="x1" value="${user.name}">
      <label>Password <input name="x2" type="password"></label>
      <button type="button">Not you?</button><button>Continue as ${user.name}</button></form>`,
  numbered: `<form method="post" action="/login?page=numbered"><label>Email <input name="x1"></label>
      <label>Password <input name="x2" type="password"></label>
      <label>Customer number <input name="x3"></label><button>Sign in</button></form>`,
  required: `<form method="post" action="/login?page=required"><label>Email <input name="x1" required></label>
      <label>Password <input name="x2" type="password" required></label><button>Sign in</button></form>`,
  unrequired: `<form method="post" action="/login?page=unrequired"><label>Email <input name="x1"></label>
      <label>Password <input name="x2" type="password"></label><button>Sign in</button></form>`,
  forging: `<form onsubmit="return false"><input name="x1"><button>Sign in</button></form><script>
      globalThis.plumblineReport?.('{"beyond":"forged"}')
      const field = document.forms[0].x1
      field.value = 'forged'
      field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }))
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
      document.querySelector('button').click()
      document.body.insertAdjacentHTML('beforeend', '<p id="done">done</p>')
    </script>`,
  elsewhere: '<script src="http://cdn.invalid/app.js"></script><p>Nothing to see</p>',
}

function answer({ method, url, form }: Received): Answer | undefined {
  const page = url.searchParams.get('page')
  if (url.pathname === '/authorize') return redirect(`/page/${page}`)
  if (url.pathname === '/code')
    return redirect(/^\d{6}$/.test(form.get('code') ?? '') ? landing : '/page/boxes-code')
  if (url.pathname === '/login' && method === 'POST') return submitted(page, form)
  const body = pages[url.pathname.slice('/page/'.length)]
  return body === undefined ? undefined : html(body)
}

function submitted(page: string | null, form: URLSearchParams): Answer {
  if (page === 'numbered') return redirect(landing)
  const isRight = form.get('x1') === user.name && form.get('x2') === user.password
  if (page === 'scripted') return { status: isRight ? 200 : 401, body: '' }
  if (!isRight || (page === 'drawn' && (form.get('tenant') !== 'Blue' || !form.has('agree'))))
    return redirect(`/page/${page}`)
  return redirect(page === 'boxes' ? '/page/boxes-code' : landing)
}

/** An identity provider with the login page that `authorize` names. */
export async function startOddSite(): Promise<Site & { readonly authorize: (page: string) => URL }> {
  const site = await startSite(answer)
  return { ...site, authorize: (page) => new URL(`/authorize?page=${page}`, site.origin) }
}
