const special = /[&<>"']/g
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text escaped for content and attributes of HTML and XML. */
export function escapeMarkup(text: string): string {
  return text.replace(special, (character) => entities[character] ?? character)
}
