import { withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'

export const discoveryFaults = withFace('discovery', [
  {
    name: 'discovery-needs-credentials',
    summary: 'The discovery document is refused with 401 to a request without credentials.',
    violates: ['DISCOVERY-PUBLIC'],
    consequences: ['DISCOVERY-METADATA', 'DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer, { headers }) => {
        if (headers.authorization) return
        Object.assign(
          answer,
          jsonAnswer(401, { error: 'unauthorized', error_description: 'Credentials needed.' }),
        )
      }),
  },
  {
    name: 'discovery-as-list',
    summary: 'The discovery document is wrapped in a list.',
    violates: ['DISCOVERY-METADATA'],
    consequences: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        answer.body = [answer.body]
      }),
  },
  {
    name: 'discovery-as-page',
    summary: 'The address of the discovery document answers 200 with an HTML page.',
    violates: ['DISCOVERY-METADATA'],
    consequences: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        answer.headers['content-type'] = 'text/html; charset=utf-8'
        answer.body = '<!doctype html><title>Welcome</title><p>Welcome.</p>'
      }),
  },
  {
    name: 'introspection-not-advertised',
    summary: 'The discovery document leaves the introspection endpoint out.',
    violates: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        delete fieldsOf(answer)?.introspection_endpoint
      }),
  },
])
