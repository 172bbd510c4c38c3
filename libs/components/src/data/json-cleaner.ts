import { boolean, ComponentError, defineComponent, text } from '@millrace/flow';
import { jsonDumpsCompactAscii, Message, parsePythonJson, PythonJsonError } from '@millrace/python-text';
import { repairJson } from '../parsing/json/repair-json';

export default defineComponent({
  type: 'JSONCleaner',
  displayName: 'JSON Cleaner',
  description: 'Extracts the JSON object from the text of a model and repairs it.',
  inputs: {
    json_str: text({ displayName: 'JSON String', required: true }),
    remove_control_chars: boolean({ displayName: 'Remove Control Characters' }),
    normalize_unicode: boolean({ displayName: 'Normalize Unicode' }),
    validate_json: boolean({ displayName: 'Validate JSON' }),
  },
  outputs: { output: { types: ['Message'], displayName: 'Cleaned JSON String' } },
  deterministic: true,
  run: ({ json_str, remove_control_chars, normalize_unicode, validate_json }, context) => {
    const start = json_str.indexOf('{');
    const end = json_str.lastIndexOf('}');
    if (start === -1 || end === -1) throw new ComponentError("Invalid JSON string: Missing '{' or '}'");
    let json = json_str.slice(start, end + 1);
    if (remove_control_chars) json = json.replace(/\p{Cc}/gu, '');
    if (normalize_unicode) json = json.normalize('NFC');
    if (validate_json) validate(json);
    const cleaned = jsonDumpsCompactAscii(repairJson(json));
    context.status(cleaned);
    return { output: new Message({ text: cleaned }) };
  },
});

function validate(json: string): void {
  try {
    parsePythonJson(json);
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
    throw new ComponentError(`Error cleaning JSON string: Invalid JSON string: ${error.message}`, error);
  }
}
