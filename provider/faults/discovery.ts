import { withSurface } from '../alteration.ts'
import { editResponse } from '../edits.ts'
import { fieldsOf, jsonResponse } from '../http.ts'

export const discoveryFaults = withSurface('discovery', [
  {
    name: 'discovery-needs-credentials',
    summary: 'Returns 401 for a request for the discovery document without credentials.',
    violates: ['DISCOVERY-PUBLIC'],
    alter: editResponse('discovery', (response, { headers }) => {
      if (headers.authorization) return
      Object.assign(
        response,
        jsonResponse(401, { error: 'unauthorized', error_description: 'Credentials needed.' }),
      )
    }),
  },
  {
    name: 'discovery-as-list',
    summary: 'Wraps the discovery document in an array.',
    violates: ['DISCOVERY-METADATA'],
    alter: editResponse('discovery', (response) => {
      response.body = [response.body]
    }),
  },
  {
    name: 'discovery-as-page',
    summary: 'Returns an HTML page with status 200 as the discovery document.',
    violates: ['DISCOVERY-METADATA'],
    alter: editResponse('discovery', (response) => {
      response.headers['content-type'] = 'text/html; charset=utf-8'
      response.body = '<!doctype html><title>Welcome</title><p>Welcome.</p>'
    }),
  },
  {
    name: 'discovery-not-found-here',
    summary: 'Returns 404 from the discovery endpoint; all other endpoints work.',
    violates: ['DISCOVERY-PUBLIC'],
    alter: editResponse('discovery', (response) => {
      Object.assign(response, jsonResponse(404, { error: 'not_found', error_description: 'Nothing here.' }))
    }),
  },
  {
    name: 'discovery-without-addresses',
    summary: 'Lists paths instead of URLs in the discovery document.',
    violates: ['DISCOVERY-METADATA'],
    consequences: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: editResponse('discovery', (response) => {
      const fields = fieldsOf(response) ?? {}
      response.body = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [
          name,
          typeof value === 'string' && URL.canParse(value) ? new URL(value).pathname : value,
        ]),
      )
    }),
  },
  {
    name: 'introspection-relative',
    summary: 'Publishes `introspection_endpoint` as a path instead of a URL.',
    violates: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: editResponse('discovery', (response) => {
      const fields = fieldsOf(response)
      if (fields) fields.introspection_endpoint = '/mga/sps/oauth/oauth20/introspect'
    }),
  },
  {
    name: 'introspection-endpoint-as-urn',
    summary: 'Publishes a URN instead of the address of the introspection endpoint.',
    violates: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: editResponse('discovery', (response) => {
      Object.assign(fieldsOf(response) ?? {}, { introspection_endpoint: 'urn:example:introspection' })
    }),
  },
  {
    name: 'introspection-not-advertised',
    summary: 'Omits `introspection_endpoint` from the discovery document.',
    violates: ['DISCOVERY-INTROSPECTION-ADVERTISED'],
    alter: editResponse('discovery', (response) => {
      delete fieldsOf(response)?.introspection_endpoint
    }),
  },
])
