import { edge, node } from './index.cjs';

test('makes a node whose fields have the types of flow files', () => {
  const fields = {
    template: 'text',
    count: 2,
    stores: true,
    files: ['a.txt'],
    script: '1',
    key: { value: 'NAME', load_from_db: true },
  };
  expect(node('Prompt Template-a', fields, 'prompt', 'other')).toEqual({
    id: 'Prompt Template-a',
    type: 'genericNode',
    data: {
      id: 'Prompt Template-a',
      type: 'Prompt Template',
      node: {
        display_name: 'Prompt Template',
        template: {
          template: { name: 'template', type: 'str', value: 'text', show: true },
          count: { name: 'count', type: 'int', value: 2, show: true },
          stores: { name: 'stores', type: 'bool', value: true, show: true },
          files: { name: 'files', type: 'file', list: true, value: '', file_path: ['a.txt'], show: true },
          script: { name: 'script', type: 'code', value: '1', show: true },
          key: { name: 'key', type: 'str', value: 'NAME', load_from_db: true, show: true },
        },
        outputs: [
          { name: 'prompt', types: ['Message'] },
          { name: 'other', types: ['Message'] },
        ],
      },
    },
  });
});

test('makes an edge, and refuses a text that names no output or field', () => {
  expect(edge('ChatInput-a.message > Prompt Template-b.path')).toEqual({
    source: 'ChatInput-a',
    target: 'Prompt Template-b',
    data: {
      sourceHandle: { id: 'ChatInput-a', name: 'message' },
      targetHandle: { id: 'Prompt Template-b', fieldName: 'path' },
    },
  });
  expect(() => edge('ChatInput-a > Prompt Template-b.path')).toThrow('is not "<id>.<output> > <id>.<field>"');
});
