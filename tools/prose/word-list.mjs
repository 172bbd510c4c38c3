/**
 * Words that sources and documentation do not use, each with what to write in its place. `pattern` matches whole words
 * and parts of identifiers (`toldOf`, `hasEnded`); a phrase matches over one blank; a pronoun matches whole words only.
 * @type {readonly { readonly word: string, readonly isPronoun?: boolean, readonly instead: string }[]}
 */
export const words = [
  {
    word: 'nobody|somebody|someone|anybody|anyone|everybody',
    instead: 'name the subject: the caller, a process',
  },
  { word: 'whoever|whomever|whom', instead: 'name the subject: the caller, the process that …' },
  { word: 'told', instead: 'was sent, was notified, reported, set' },
  { word: 'heard|hears', instead: 'received, is notified' },
  { word: 'in hand', instead: 'in flight, in progress' },
  { word: 'gone', instead: 'deleted, closed, missing, unreachable' },
  { word: 'worn', instead: 'near its delivery limit' },
  { word: 'dearer|dearest', instead: 'more expensive, most expensive' },
  { word: 'in vain', instead: 'without success' },
  { word: 'as many as may', instead: 'the limit of N is reached' },
  { word: 'for ever', instead: 'indefinitely' },
  { word: 'strikes|struck', instead: 'happens, occurred' },
  { word: 'grave|graves|bury|buries|buried', instead: 'dead-letter' },
  { word: 'lest', instead: 'so that … not' },
  { word: 'he|him|his|himself', isPronoun: true, instead: 'they, the caller' },
];

/**
 * Places where one of the words is the right one. `text` is the part of the line that may stay.
 * @type {readonly { readonly text: string }[]}
 */
export const exceptions = [
  // The name of HTTP status 410.
  { text: '410 Gone' },
  // A metric label and an error code, which never change.
  { text: "outcome: 'gone'" },
  { text: "outcome: ['filled', 'gone']" },
  { text: 'file_gone' },
  // Text of Langflow.
  { text: 'changed by someone else' },
  // Text of a language model in a test.
  { text: 'he said "hi" to me' },
  { text: 'Here it is' },
  { text: 'He said: "ok"' },
  { text: "'He said: " },
];
