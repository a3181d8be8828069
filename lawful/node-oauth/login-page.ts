/** A login form without scripts. Its link cancels with `allowed=false`, and the library refuses this request. */
export function loginPage(query: string, failed: boolean): string {
  const escaped = query.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)
  return `<!doctype html>
<html lang="en"><title>Log in</title>
${failed ? '<p>User name or password is wrong.</p>' : ''}
<form method="post" action="/login?${escaped}">
  <p><label for="email">User name</label> <input id="email" name="email"></p>
  <p><label for="password">Password</label> <input id="password" name="password" type="password"></p>
  <input type="submit" value="Log in"> <a href="?${escaped}&#38;allowed=false">Cancel</a>
</form></html>`
}
