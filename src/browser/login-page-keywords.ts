/**
 * The words that identify fields and buttons of login pages, in English, German, French, Spanish, Italian, Portuguese,
 * Dutch, the Scandinavian languages and Finnish. They match names, ids, labels and texts in any letter case.
 */
export const keywords = {
  /** Names and labels of the field for the user. */
  user: /user|login|e-?mail|account|identifi|member|benutzer|nutzer|kennung|anmelde|konto|kunden|utilisateur|usuario|usuário|utente|correo|courriel|gebruiker|användar|bruker|bruger|käyttäjä|tunnus|sähköposti/iu,
  /** Names and labels of the field for a one-time password. */
  totp: /otp|one[- _]?time|two[- _]?factor|2fa|mfa|passcode|token|authenticator|verification|security code|sicherheitscode|einmal|bestätigungscode|code à usage|vérification|verificación|verifica|verificação|verificatie|engångs|engangs|kertakäyttö|vahvistuskoodi/iu,
  /** Messages that refuse a typed value. */
  wrong:
    /wrong|incorrect|invalid|failed|not (?:valid|correct|recogni[sz]ed|match)|(?:doesn|didn)['’]t match|falsch|ungültig|fehlgeschlagen|nicht (?:korrekt|gültig|richtig)|erroné|échoué|n['’]est pas (?:valide|correct)|no (?:es válid|válid|coincide)|inválid|errad[ao]|sbagliat|errat[aoie]|non (?:è )?(?:valid|corrett)|onjuist|ongeldig|fel(?:akti\p{L}*)?\b|ogiltig|feil|ugyldig|forkert|väär|virheelli/iu,
  /** Buttons that send a login form. */
  submit:
    /^[^\p{L}\p{N}]*(?:sign[ -]?(?:in|on)|log[ -]?(?:in|on)|continue|next|submit|verify|confirm|go|ok|enter|anmelden|einloggen|login|weiter|absenden|bestätigen|prüfen|se connecter|connexion|continuer|suivant|valider|iniciar|entrar|acceder|siguiente|continuar|verificar|accedi|avanti|continua|verifica|inloggen|aanmelden|volgende|doorgaan|logga in|nästa|fortsätt|log ind|logg inn|neste|næste|fortsæt|fortsett|kirjaudu|jatka|seuraava|vahvista)(?!\p{L})/iu,
  /** Buttons and links that lead to the login. */
  signIn:
    /^[^\p{L}\p{N}]*(?:sign[ -]?in|log[ -]?in|go to (?:sign[ -]?in|log[ -]?in)|anmelden|einloggen|zur anmeldung|zum login|se connecter|connexion|iniciar sesión|acceder|iniciar sessão|accedi|inloggen|aanmelden|logga in|log ind|logg inn|kirjaudu(?: sisään)?)[^\p{L}\p{N}]*$/iu,
  /** Buttons that sign in through another provider. */
  elsewhere: /\b(?:with|using|via|mit|über|avec|con|com|met|med)\b/iu,
  /** Buttons that sign in without a password: by a link or a code in a message, or by a passkey. */
  passwordless:
    /passkey|security key|webauthn|fingerprint|face id|touch id|windows hello|sicherheitsschlüssel|fingerabdruck|clé (?:d’accès|d'accès|de sécurité)|llave de acceso|chiave di accesso|toegangssleutel|pääsyavain|magic link|(?:e-?mail|send|get|text) me\b|(?:send|get|request|e-?mail|mail) (?:an? |the |my )?(?:[\p{L}-]+ )?(?:link|code)|(?:code|link) (?:by|per|via|par|por|tramite) |(?:link|code) (?:senden|anfordern|zusenden|schicken)|anmelde-?link|(?:envoyer|recevoir) (?:un|le) (?:lien|code)|enviar (?:un )?(?:enlace|código)|invia (?:un )?(?:link|codice)/iu,
  /** Buttons and links that lead to the password, unless `aboutPassword` matches, as in "Forgot password". */
  password:
    /passw|passcode|kennwort|mot de passe|contraseña|senha|wachtwoord|lösenord|adgangskode|passord|salasana/iu,
  aboutPassword:
    /forg[eo]t|reset|lost|recover|change|show|hide|create|set up|new\b|without|no password|vergessen|zurücksetzen|ändern|anzeigen|ohne|oublié|afficher|changer|sans|olvid|recuper|mostrar|cambiar|sin\b|dimenticat|mostra|esquec|vergeten|tonen|glömt|visa|glemt|vis\b|unohd|näytä/iu,
  /** Links to other ways to sign in. */
  otherWay:
    /(?:another|other|different) (?:ways?|methods?|options?)|andere[rns]? (?:anmelde)?(?:methode|option|möglichkeit|weg)|autre (?:méthode|option|moyen|façon)|otr[oa] (?:método|opción|forma|manera)|altr[oa] (?:metodo|modo|opzione)|outr[oa] (?:método|opção|forma|maneira)|andere (?:manier|methode|optie)|annat sätt|anden måde|annen måte|toinen tapa|muulla tavalla/iu,
  /** Buttons that continue with a known account. */
  account:
    /^[^\p{L}\p{N}]*(?:continue|proceed|sign in|log in) as\b|^[^\p{L}\p{N}]*weiter als\b|\bals .+ (?:fortfahren|anmelden|weiter)$|^[^\p{L}\p{N}]*continuer en tant que|^[^\p{L}\p{N}]*continuar como|^[^\p{L}\p{N}]*continua come|^[^\p{L}\p{N}]*doorgaan als|^[^\p{L}\p{N}]*(?:fortsätt|fortsæt|fortsett) som|^[^\p{L}\p{N}]*jatka käyttäjänä/iu,
  /** Headings of pages that list accounts. */
  accounts:
    /(?:choose|pick|select|which|your)\b.*accounts?\b|konto.*(?:wählen|auswählen)|welches konto|(?:choisi\p{L}+|sélectionne\p{L}+)\b.*compte|(?:elige|elegir|selecciona\p{L}*)\b.*cuenta|(?:scegli|seleziona)\b.*account|(?:escolh\p{L}+|selecion\p{L}+)\b.*conta|kies .*account|välj (?:ett )?konto|vælg (?:en )?konto|velg (?:en )?konto|valitse tili/iu,
  /** Buttons and links that do not continue with the account, such as "Not you?" or "Sign out". */
  notAccount:
    /\bnot\b|guest|\bgast\b|invité|invitado|sign out|log ?out|switch|remove|another|different|\bother\b|nicht|abmelden|anderes|wechseln|entfernen|déconnecter|autre|cerrar|otra|esci|altro|uitloggen|ander\b|logga ut|log ud|logg ut|kirjaudu ulos/iu,
  /** Headings of offers that a login does not need. */
  offer:
    /faster|(?:protect|secure) your account|keep your account (?:safe|secure)|(?:create|add|set up|save|register|enable|turn on|try)\b.*(?:passkey|security key|fingerprint|face|biometric|two-step|two-factor|authenticator|recovery|backup|phone|number)|schneller|(?:passkey|wiederherstellung|telefonnummer|handynummer|rückrufnummer).*(?:erstellen|einrichten|hinzufügen|anlegen|speichern)|plus (?:vite|rapide)|(?:créer|ajouter|configurer)\b.*(?:clé|numéro|téléphone|récupération)|más rápido|(?:crear|añadir|agregar|configurar)\b.*(?:llave|número|teléfono|recuperación)/iu,
  /** Headings that ask whether to remember the browser. */
  question:
    /(?:stay|keep me|remain) (?:signed|logged) in|(?:trust|remember|save) (?:this|your) (?:device|browser|computer|password|login)|remember me|angemeldet bleiben|eingeloggt bleiben|(?:gerät|browser) (?:vertrauen|merken)|rester connecté|(?:se fier|faire confiance) à (?:cet|ce)|mantener la sesión|seguir conectado|confiar en este|resta(?:re)? connesso|rimani connesso|continuar conectado|aangemeld blijven|ingelogd blijven|förbli inloggad|forbliv logget|forbli pålogget|pysy kirjautuneena/iu,
  /** Buttons that decline an offer. */
  skip: /^[^\p{L}\p{N}]*(?:skip|do (?:this|it) later|(?:continue|proceed) without|überspringen|(?:weiter|fortfahren) ohne|ohne .+ (?:weiter|fortfahren)|continuer sans|continuar sin|passer|ignorer|omitir|saltar|ignora|salta|pular|overslaan|hoppa över|spring over|hopp over|ohita)(?!\p{L})/iu,
  /** Buttons that decline an offer for now. Plumbline presses them only if `skip` matches none. */
  notNow:
    /^[^\p{L}\p{N}]*(?:not now|no,? thanks?|no,? thank you|(?:maybe |remind me |ask me )?later|nicht jetzt|jetzt nicht|später|vielleicht später|nein,? danke|pas maintenant|plus tard|non,? merci|ahora no|más tarde|no,? gracias|non ora|più tardi|no,? grazie|agora não|mais tarde|não,? obrigad[oa]|niet nu|later|nee,? bedankt|inte nu|senare|nej,? tack|ikke nu|senere|ikke nå|nei,? takk|nej,? tak|ei nyt|myöhemmin|ei kiitos)(?!\p{L})/iu,
  /** Check boxes of terms that a page requires to continue. */
  terms:
    /terms|conditions|agree|accept|privacy|consent|nutzungsbedingungen|datenschutz|\bagb\b|einverstanden|akzeptier|zustimm|gelesen|acept|términos|condiciones|condizioni|accett|termos|condições|voorwaarden|akkoord|villkor|vilkår|ehdot|hyväksy/iu,
  /** Check boxes that Plumbline ticks only if the page requires them. */
  unwanted:
    /newsletter|marketing|offers?\b|promotion|advert|\bnews\b|updates|tips|survey|remember|stay|keep me|always|(?:don['’]?t|do not|never) (?:show|ask)|personali[sz]|third part|angebot|werbung|merken|bleiben|nicht (?:mehr|erneut|wieder)|immer|umfrage|offres|publicité|se souvenir|rester|ne plus|toujours|ofertas|publicidad|recordar|siempre|no volver a|offerte|pubblicità|ricorda|sempre|aanbieding|onthoud|altijd|erbjudand|kom ihåg|tilbud|husk|tarjou|muista|markkinointi/iu,
  /** Buttons that give consent. */
  accept:
    /^[^\p{L}\p{N}]*(?:yes|(?:i )?(?:allow|accept|authori[sz]e|approve|agree|permit|grant)|consent|continue|confirm|ja|zulassen|erlauben|akzeptieren|annehmen|zustimmen|einwilligen|einverstanden|genehmigen|bestätigen|freigeben|weiter|fortfahren|oui|autoriser|accepter|j’accepte|j'accepte|approuver|continuer|sí|permitir|aceptar|autorizar|aprobar|continuar|aceitar|sim|consenti|accetta|autorizza|approva|continua|toestaan|accepteren|akkoord|doorgaan|tillåt|godkänn|tillat|tillad|godta|godkend|fortsätt|fortsett|fortsæt|salli|hyväksy|kyllä|jatka)(?!\p{L})/iu,
  /** Buttons and links that cancel a login or refuse consent. */
  cancel:
    /^[^\p{L}\p{N}]*(?:cancel|abort|no|not now|(?:i )?(?:deny|decline|refuse|reject|disagree|disallow)|don['’]t allow|do not allow|(?:i )?do not (?:agree|accept)|back to (?:the )?app|return to (?:the )?app|abbrechen|abbruch|ablehnen|verweigern|nicht zulassen|nicht jetzt|nein|annuler|refuser|rejeter|pas maintenant|non|cancelar|denegar|rechazar|ahora no|recusar|negar|não|annulla|rifiuta|nega|annuleren|annuller|fortryd|weigeren|afwijzen|nee|avbryt|avbryd|neka|avvis|afvis|nej|nei|peruuta|keskeytä|estä|hylkää|ei)(?!\p{L})/iu,
  /** Buttons and links that leave the login. Plumbline cancels with them only if `cancel` matches none. */
  back: /^[^\p{L}\p{N}]*(?:(?:go )?back|return|exit|quit|leave|close|dismiss|zurück|zurueck|verlassen|beenden|schließen|schliessen|retour|quitter|fermer|volver|atrás|salir|cerrar|indietro|esci|chiudi|voltar|sair|fechar|terug|sluiten|tillbaka|stäng|tilbage|luk|tilbake|lukk|takaisin|poistu|sulje)(?: (?:to|zu|zur|zum|nach|à|au|a|al|alla|ao|naar|till|til) (?!.*(?:log[ -]?in|sign[ -]?in|anmeld|password)).*)?[^\p{L}\p{N}]*$/iu,
  /** Words that reverse the meaning of a button: "continue without sharing". */
  without: /\b(?:without|ohne|sans|sin|senza|sem|zonder|utan|uden|uten|ilman|not now|later|später)\b/iu,
}
