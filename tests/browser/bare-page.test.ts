import { describe, expect, test } from 'vitest'
import { isBare } from '../../src/browser/journey-decisions.ts'

const page = (content: string) => Buffer.from(`<!doctype html><html><body>${content}</body></html>`)

describe('a page asks for nothing', () => {
  test.each([
    ['an error of nginx', '<center><h1>400 Bad Request</h1></center><hr><center>nginx</center>'],
    [
      'headings, text and lists',
      '<main><h1>Not allowed</h1><p class="error">Ask <b>us</b></p><ul><li>1</ul></main>',
    ],
    ['a style sheet and an image', '<link rel="stylesheet" href="a.css"><img src="logo.svg" alt="">'],
    ['a comparison in its text', '<p>1 < 2</p>'],
  ])('%s', (_, content) => expect(isBare(page(content))).toBe(true))
})

describe('a page may ask for something', () => {
  test.each([
    ['a form', '<form action="/login"><input name="user"></form>'],
    ['a script', '<script src="app.js"></script>'],
    ['a link', '<a href="/login">Sign in</a>'],
    ['a button without a form', '<BUTTON>Go</BUTTON>'],
    ['a frame', '<iframe src="/login"></iframe>'],
    ['a refresh', '<meta http-equiv="refresh" content="0; url=/login">'],
    ['a refresh without quotes', '<meta http-equiv=Refresh content="0; url=/login">'],
    ['an event handler', '<body onload="go()">'],
    ['an event handler after a slash', '<img src=x/onerror=go()>'],
    ['an element of its own', '<login-form></login-form>'],
    ['a drawing, which may hold scripts', '<svg><script>go()</script></svg>'],
    ['no element at all', ''],
  ])('%s', (_, content) => expect(isBare(content === '' ? Buffer.from('sorry') : page(content))).toBe(false))

  test('an encoding that does not extend ASCII', () => {
    expect(isBare(Buffer.from('<html><form></form></html>', 'utf16le'))).toBe(false)
  })
})
