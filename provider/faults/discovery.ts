import { withFace } from '../behaviour.ts'
import { fieldsOf, jsonAnswer } from '../http.ts'

export const discoveryFaults = withFace('discovery', [
  {
    name: 'discovery-needs-credentials',
    summary: 'The discovery document is refused with 401 to a request without credentials.',
    violates: ['DISCOVERY-PUBLIC'],
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
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        answer.body = [answer.body]
      }),
  },
  {
    name: 'discovery-as-page',
    summary: 'The address of the discovery document answers 200 with an HTML page.',
    violates: ['DISCOVERY-METADATA'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        answer.headers['content-type'] = 'text/html; charset=utf-8'
        answer.body = '<!doctype html><title>Welcome</title><p>Welcome.</p>'
      }),
  },
  {
    name: 'discovery-not-found-here',
    summary: 'The discovery document is not found, though every other address works.',
    violates: ['DISCOVERY-PUBLIC'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        Object.assign(answer, jsonAnswer(404, { error: 'not_found', error_description: 'Nothing here.' }))
      }),
  },
  {
    name: 'discovery-without-addresses',
    summary: 'The discovery document names what is supported, but no endpoint except by its path.',
    violates: ['DISCOVERY-METADATA'],
    consequences: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        const fields = fieldsOf(answer) ?? {}
        answer.body = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            typeof value === 'string' && URL.canParse(value) ? new URL(value).pathname : value,
          ]),
        )
      }),
  },
  {
    name: 'introspection-relative',
    summary: 'The discovery document names the introspection endpoint by its path only.',
    violates: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: ({ idp }) =>
      idp.answers.discovery.push((answer) => {
        const fields = fieldsOf(answer)
        if (fields) fields.introspection_endpoint = '/mga/sps/oauth/oauth20/introspect'
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
