import { describe, expect, test } from 'vitest'
import { descriptionOf, withoutPersonal, withoutSecrets } from '../../src/browser/page-description.ts'

const user = 'alice.smith@example.com'

describe('texts of a page are shown without what may be personal', () => {
  test.for([
    ['Who are you?', 'Who are you?'],
    ['Signed in as alice.smith@example.com', 'Signed in as …'],
    ['Not bob@example.org?', 'Not …'],
    ['Hi ALICE, call +358 40 1234567', 'Hi …, call +… … …'],
    ['Welcome back, María José', 'Welcome back, …'],
    ['Welcome to Example Bank', 'Welcome to Example Bank'],
    ['Weiter als Maria Musterfrau', 'Weiter als …'],
    ['Your number ends in 12', 'Your number ends in …'],
    ['Session 3f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c', 'Session …'],
    ['A "quoted"\u001b[31m\n\tline', 'A ’quoted’ […m line'],
  ])('%j', ([text, shown]) => {
    expect(withoutPersonal(text as string, user)).toBe(shown)
  })

  test('a long text is cut', () => {
    expect(withoutPersonal('word '.repeat(50), user)).toHaveLength(61)
  })
})

test('a text that holds a secret is left out, however the page writes it', () => {
  const echoes = ['Pw-c4nary!x', 'PW-C4NARY!X', 'P w c 4 n a r y x']
  const texts = { headings: ['Sign in', ...echoes], messages: echoes, fields: [], controls: [], frames: 0 }
  expect(withoutSecrets(texts, ['Pw-c4nary!x'])).toEqual({
    ...texts,
    headings: ['Sign in', '', '', ''],
    messages: ['', '', ''],
  })
})

test.each<[boolean, string]>([
  [true, 'The user name or the password is wrong.'],
  [true, 'Invalid username or password.'],
  [true, 'Anmeldename oder Kennwort falsch'],
  [true, 'The code is incorrect'],
  [true, 'Mot de passe erroné'],
  [false, 'You have to accept the terms.'],
  [false, 'The password expires in 5 days.'],
  [false, 'Maintenance failed on Sunday.'],
])('whether a message refuses what was typed: %s, %s', (refusesValue, message) => {
  const texts = { headings: [], messages: [message], fields: [], controls: [], frames: 0 }
  expect(descriptionOf(texts, user)).toMatchObject({ refusesValue })
})

test('a description names what a page shows, and steps that would fill it in', () => {
  const field = { label: '', placeholder: '', name: '', id: '', isPassword: false }
  const description = descriptionOf(
    {
      headings: ['Login', 'Login'],
      messages: [],
      fields: [
        { ...field, label: 'Who?' },
        { ...field, name: 'x2', isPassword: true },
      ],
      controls: [
        { text: 'Help', isLink: true },
        { text: 'Open', isLink: false },
      ],
      frames: 0,
    },
    user,
  )
  expect(description.shown).toBe('heading "Login"; field "Who?"; field name x2; button "Open"; link "Help"')
  expect(description.steps).toEqual([
    { do: 'fill', at: { label: 'Who?' }, value: 'username' },
    { do: 'fill', at: { css: '[name="x2"]' }, value: 'password' },
    { do: 'click', at: { role: 'button', name: 'Open' } },
  ])
})

test('the steps press controls that continue, and neither cancel nor change a password', () => {
  const field = { label: '', placeholder: '', name: 'username', id: '', isPassword: false }
  const pressed = (...names: string[]) => {
    const controls = names.map((name) => ({
      text: name.replace('link ', ''),
      isLink: name.startsWith('link '),
    }))
    const texts = { headings: [], messages: [], fields: [field], controls, frames: 0 }
    return descriptionOf(texts, 'test.user@example.com').steps
  }
  const typed = { do: 'fill', at: { css: '[name="username"]' }, value: 'username' }
  const click = (role: string, name: string) => ({ do: 'click', at: { role, name } })
  expect(pressed('Cancel', 'Sign in')).toEqual([typed, click('button', 'Sign in')])
  expect(pressed('Cancel', 'Change password', 'link Log in')).toEqual([typed, click('link', 'Log in')])
  expect(pressed('Cancel', 'Open')).toEqual([typed, click('button', 'Open')])
  expect(pressed('Cancel')).toEqual([typed])
})
