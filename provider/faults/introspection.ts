import { type Behaviour, withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'

const REFERENCE = ['introspection-available']

export const introspectionFaults = withFace('introspection', [
  {
    name: 'introspection-page-with-200',
    summary: 'The introspection endpoint answers with an HTML page and status 200.',
    violates: ['INTROSPECTION-UNAVAILABLE'],
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        answer.status = 200
      }),
  },
  {
    name: 'introspection-active-as-text',
    summary: 'An active token is described by active: "true".',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.active === true) fields.active = 'true'
      }),
  },
  {
    name: 'introspection-active-called-inactive',
    summary: 'A live access token is called inactive.',
    violates: ['INTROSPECTION-ACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        if (fieldsOf(answer)?.active === true) answer.body = { active: false }
      }),
  },
  {
    name: 'introspection-inactive-with-reason',
    summary: 'The description of an inactive token says why it is inactive.',
    violates: ['INTROSPECTION-INACTIVE'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields?.active === false) fields.reason = 'unknown'
      }),
  },
  {
    name: 'introspection-token-optional',
    summary: 'Introspection without a token answers 200 and calls it inactive.',
    violates: ['INTROSPECTION-TOKEN-REQUIRED'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer, { form }) => {
        if (answer.status === 400 && !form?.get('token'))
          Object.assign(answer, jsonAnswer(200, { active: false }))
      }),
  },
  {
    name: 'introspection-without-client-auth',
    summary: 'A client that fails to authenticate is told the token is inactive.',
    violates: ['INTROSPECTION-CLIENT-AUTH'],
    variants: REFERENCE,
    alter: ({ idp }: Behaviour) =>
      idp.answers.introspection.push((answer) => {
        if (answer.status === 401) Object.assign(answer, jsonAnswer(200, { active: false }))
      }),
  },
])
