import { expect, test } from 'vitest'
import { code, denied, EverydaySite, show } from './everyday-site.ts'
import { redirect } from './site.ts'

// Controls that cancel a login, by many names.

const site = new EverydaySite()

const names = [
  ...[
    'Cancel',
    'Abort',
    'Not now',
    'Deny',
    'Refuse',
    'No thanks',
    'Decline',
    'Back',
    'Go back',
    'Exit',
    'Leave',
  ],
  ...[
    'Zurück',
    'Zurueck',
    'Abbrechen',
    'Nicht jetzt',
    'Nein, danke',
    'Annuler',
    'Refuser',
    'Retour',
    'Rechazar',
  ],
  ...[
    'Volver',
    'Ahora no',
    'Annulla',
    'Indietro',
    'Cancelar',
    'Terug',
    'Tillbaka',
    'Annuller',
    'Fortryd',
    'Takaisin',
    '× Close',
    'Return to Example Shop',
  ],
]
const forms: readonly ((name: string) => string)[] = [
  (name) => `<button name="no" formnovalidate>${name}</button>`,
  (name) => `<a href="/no">${name}</a>`,
  (name) => `<input type="submit" name="no" value="${name}" formnovalidate>`,
  (name) => `<a href="/no"><img src="data:," alt="${name}"></a>`,
  (name) =>
    `<button name="no" formnovalidate><img src="data:," alt="${name}" width="20" height="20"></button>`,
  (name) => `<input type="image" name="no" alt="${name}" formnovalidate>`,
  (name) =>
    `<a href="/no"><span role="img" aria-label="${name}" style="display:inline-block;width:9px;height:9px"></span></a>`,
  (name) => `<a href="/no" title="${name}"><svg width="20" height="20"></svg></a>`,
]

test.for(
  names.map((name, index) => [name, forms[index % forms.length] as (name: string) => string] as const),
)('cancels with %s', async ([name, form]) => {
  const landing = await site.land(
    {
      '/authorize': show(
        `<a href="/help">Nothing to cancel</a><form method="post" action="/login"><input name="u"><input name="p" type="password"><button>Sign in</button>${form(name)}</form><a href="/back-up">Backup codes</a>`,
      ),
      '/login': ({ form: of }) => redirect(of.has('no') || of.has('no.x') ? denied : code),
      '/no': () => redirect(denied),
    },
    { act: 'cancel' },
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: denied })
})

test('cancel is preferred to back', async () => {
  const landing = await site.land(
    {
      '/authorize': show(
        '<a href="/back">Back</a><form method="post" action="/login"><input name="p" type="password"><button>Sign in</button><a href="/no">Cancel</a></form>',
      ),
      '/no': () => redirect(denied),
    },
    { act: 'cancel' },
  )
  expect(landing).toMatchObject({ kind: 'redirect', location: denied })
})

test('a page that follows the cancellation and waits is distinguished from one before it', async () => {
  const landing = await site.land(
    {
      '/authorize': show(
        '<form method="post" action="/login"><input name="p" type="password"><button>Sign in</button><a href="/no">Cancel</a></form>',
      ),
      '/no': show(
        '<p>Share your data?</p><form method="post" action="/login"><button>Yes, cancel</button><button>No, go back</button></form>',
      ),
    },
    { act: 'cancel' },
  )
  expect(landing).toEqual({ kind: 'consent-page', afterCancel: true })
})
