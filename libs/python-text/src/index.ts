export type {
  MessageProperties,
  MessageSource,
  MessageUsage,
  TextEnding,
  TextStream,
} from './values/message-properties';
export { Data, DataFrame, Message } from './values/python-value';
export type { MessageFields, PythonObject, PythonValue } from './values/python-value';
export { isHandle } from './values/handle';
export type { Handle } from './values/handle';
export { messageData } from './values/message-data';
export { messageMembers } from './values/model-classes';
export type { MessageData } from './values/message-data';
export { PythonFloat } from './values/python-float';
export { checkCells } from './values/table-size';
export { typeName } from './values/type-name';
export { literalEval } from './repr/literal-eval';
export { repr } from './repr/repr';
export { str } from './repr/str';
export { floatRepr } from './numbers/float-repr';
export { missingKey, parseFormat } from './format/format-string';
export type { ParsedFormat } from './format/format-string';
export { formatValue } from './format/format-value';
export { PythonFormatError } from './format/python-format-error';
export { checkTextLength } from './format/text-limit';
export { parsePromptTemplate } from './prompts/prompt-template';
export type { PromptTemplate } from './prompts/prompt-template';
export { jsonDumpsCompact, jsonDumpsCompactAscii, jsonDumpsIndented } from './json/dump-json';
export { orjsonCompact, orjsonIndented } from './json/dump-orjson';
export { escapeRawControls } from './json/escape-raw-controls';
export { parsePythonJson } from './json/parse-json';
export { parseLenientJson } from './json/parse-lenient-json';
export { PythonJsonError } from './json/python-json-error';
export { PythonRegexError } from './regex/python-regex-error';
export { parseRegex, Regex } from './regex/regex';
export type { RegexMatch } from './regex/regex';
export { markdownTable } from './markdown/markdown-table';
export { tableRecords, tableRows } from './tables/table-rows';
export { cleanString } from './text/clean-string';
export { codePointCount, codePointOffset } from './text/code-points';
export { storableText, storableTextOrNull } from './text/storable-text';
export { strip } from './text/strip';
export { nowWithMicroseconds, timestamp } from './text/timestamp';
export { unescapeNewlines } from './text/unescape-newlines';
