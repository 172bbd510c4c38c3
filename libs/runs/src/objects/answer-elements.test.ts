import { elementsOf, textOf } from './answer-elements';

test('reads repeated elements and escapes', () => {
  const xml =
    '<R><Contents><Key>a&amp;b &#x1F600;&#65;</Key></Contents><Contents><Key>c</Key></Contents><Empty></Empty></R>';
  expect(elementsOf(xml, 'Contents').map((element) => textOf(element, 'Key'))).toEqual(['a&b 😀A', 'c']);
  expect(textOf(xml, 'Empty')).toBe('');
  expect(textOf(xml, 'Missing')).toBeNull();
});
