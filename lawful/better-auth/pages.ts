// The login and consent pages, which Better Auth expects from the application. As documented, they return the signed
// query of the authorization request, and navigate to the address in the response.

const script = `
  const search = new URLSearchParams(location.search)
  const signed = new Set([...search.getAll('ba_param'), 'sig', 'ba_param'])
  const oauth_query = new URLSearchParams([...search].filter(([name]) => signed.has(name))).toString()
  async function send(path, body) {
    const response = await fetch('/api/auth' + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...body, oauth_query }),
    })
    const { url, redirect_uri, message } = await response.json()
    if (url ?? redirect_uri) location.href = url ?? redirect_uri
    else document.querySelector('output').textContent = message ?? 'That did not work.'
  }`

export const signInPage = `<!doctype html>
<html lang="en"><title>Sign in</title><script>${script}</script>
<form onsubmit="send('/sign-in/email', Object.fromEntries(new FormData(this))); return false">
  <label>E-mail <input type="email" name="email" autocomplete="username"></label>
  <label>Password <input type="password" name="password" autocomplete="current-password"></label>
  <button>Sign in</button> <output></output>
</form></html>`

export const consentPage = `<!doctype html>
<html lang="en"><title>Consent</title><script>${script}</script>
<p>An application requests access to your account.</p>
<button onclick="send('/oauth2/consent', { accept: true })">Allow</button>
<button onclick="send('/oauth2/consent', { accept: false })">Deny</button> <output></output></html>`
