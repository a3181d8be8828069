/**
 * Words by which fields and controls of login pages are known, in English, German, French, Spanish, Italian,
 * Portuguese, Dutch, the Scandinavian languages and Finnish. Matched without case against names, ids, labels and texts.
 */

/** Names and labels of the field for the user. */
const user =
  /user|login|e-?mail|account|identifi|member|benutzer|nutzer|kennung|anmelde|konto|kunden|utilisateur|usuario|usuário|utente|correo|courriel|gebruiker|användar|bruker|bruger|käyttäjä|tunnus|sähköposti/iu

/** Names and labels of the field for a one-time password. */
const totp =
  /otp|one[- _]?time|two[- _]?factor|2fa|mfa|passcode|token|authenticator|verification|security code|sicherheitscode|einmal|bestätigungscode|code à usage|vérification|verificación|verifica|verificação|verificatie|engångs|engangs|kertakäyttö|vahvistuskoodi/iu

/** Controls that send a login form. */
const submit =
  /^(?:sign[ -]?(?:in|on)|log[ -]?(?:in|on)|continue|next|submit|verify|confirm|go|ok|enter|anmelden|einloggen|login|weiter|absenden|bestätigen|prüfen|se connecter|connexion|continuer|suivant|valider|iniciar|entrar|acceder|siguiente|continuar|verificar|accedi|avanti|continua|verifica|inloggen|aanmelden|volgende|doorgaan|logga in|nästa|fortsätt|log ind|logg inn|neste|næste|fortsæt|fortsett|kirjaudu|jatka|seuraava|vahvista)(?!\p{L})/iu

/** Controls that sign in through somebody else. */
const elsewhere = /\b(?:with|using|via|mit|über|avec|con|com|met|med)\b/iu

/** Controls that give consent. */
const accept =
  /^(?:yes|allow|accept|authori[sz]e|approve|agree|i agree|grant|consent|continue|confirm|ja|zulassen|erlauben|akzeptieren|annehmen|zustimmen|einwilligen|einverstanden|genehmigen|bestätigen|freigeben|weiter|fortfahren|oui|autoriser|accepter|j’accepte|j'accepte|approuver|continuer|sí|permitir|aceptar|autorizar|aprobar|continuar|aceitar|sim|consenti|accetta|autorizza|approva|continua|toestaan|accepteren|akkoord|doorgaan|tillåt|godkänn|tillat|tillad|godta|godkend|fortsätt|fortsett|fortsæt|salli|hyväksy|kyllä|jatka)(?!\p{L})/iu

/** Controls that give up a login or refuse consent. */
const cancel =
  /^(?:cancel|abort|no|deny|decline|refuse|reject|disallow|don['’]t allow|do not allow|back to (?:the )?app|return to (?:the )?app|abbrechen|abbruch|ablehnen|verweigern|nicht zulassen|nein|annuler|refuser|rejeter|non|cancelar|denegar|rechazar|recusar|negar|não|annulla|rifiuta|nega|annuleren|weigeren|afwijzen|nee|avbryt|avbryd|neka|avvis|afvis|nej|nei|peruuta|keskeytä|estä|hylkää|ei)(?!\p{L})/iu

/** What turns a control that goes on into one that gives nothing: "continue without sharing". */
const without = /\b(?:without|ohne|sans|sin|senza|sem|zonder|utan|uden|uten|ilman|not now|later|später)\b/iu

export const words = { user, totp, submit, elsewhere, accept, cancel, without }

export type Words = typeof words
