import { expect, test } from '@jest/globals';
import { textsOfParameter, valueOfParameter, valueOfText } from '../../../contract/oracle/parameters.ts';
import type { Parameter, ParameterStyle, Schema } from '../../../contract/document/model.ts';

const list: Schema = { type: 'array', items: { type: 'integer' } };

function parameter(
  schema: Schema,
  style: ParameterStyle,
  explode: boolean,
  place: Parameter['in'] = 'query',
): Parameter {
  return { name: 'id', in: place, description: '', required: false, style, explode, schema };
}

test.each<[type: Schema, text: string, value: unknown]>([
  [{ type: 'integer' }, '12', 12],
  [{ type: 'integer' }, '-1', -1],
  [{ type: 'integer' }, '1e1', '1e1'],
  [{ type: 'integer' }, '1.0', '1.0'],
  [{ type: 'integer' }, ' 5', ' 5'],
  [{ type: 'number' }, '-1.5e+3', -1500],
  [{ type: 'number' }, '.5', '.5'],
  [{ type: 'number' }, 'x1', 'x1'],
  [{ type: 'number' }, '1x', '1x'],
  [{ type: 'number' }, '1.', '1.'],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'boolean' }, 'false', false],
  [{ type: 'boolean' }, 'TRUE', 'TRUE'],
  [list, '1,2,x', [1, 2, 'x']],
  [{ type: 'array' }, '1,2', ['1', '2']],
  [{ type: 'string' }, '1,2', '1,2'],
])('a text of the schema %j: %s', (schema, text, value) => {
  expect(valueOfText(schema, text)).toEqual(value);
});

test.each<[sent: string[], parameter: Parameter, value: unknown]>([
  [['1', '2'], parameter(list, 'form', true), [1, 2]],
  [['1,2'], parameter(list, 'form', true), ['1,2']],
  [['1,2'], parameter(list, 'form', false), [1, 2]],
  [['1|2'], parameter(list, 'pipeDelimited', false), [1, 2]],
  [['1 2'], parameter(list, 'spaceDelimited', false), [1, 2]],
  [['1', '2'], parameter(list, 'form', false), ['1', '2']],
  [['1', '2'], parameter({ type: 'integer' }, 'form', true), ['1', '2']],
  [['1,2'], parameter({ type: 'string' }, 'form', true), '1,2'],
  [['1'], parameter({ type: 'integer' }, 'form', true), 1],
  [['a', 'b'], parameter({ type: 'array' }, 'form', true), ['a', 'b']],
])('the value of a parameter that is sent as: %j with %j', (texts, sent, value) => {
  expect(valueOfParameter(sent, texts)).toEqual(value);
});

test.each<[value: unknown, parameter: Parameter, texts: string[] | undefined]>([
  [[1, 2], parameter(list, 'form', true), ['1', '2']],
  [[1, 2], parameter(list, 'form', false), ['1,2']],
  [[1, 2], parameter(list, 'pipeDelimited', false), ['1|2']],
  [[1, 2], parameter(list, 'simple', true, 'header'), ['1', '2']],
  [[1, 2], parameter(list, 'simple', false, 'header'), ['1,2']],
  [5, parameter({ type: 'integer' }, 'simple', false, 'path'), ['5']],
  [true, parameter({ type: 'boolean' }, 'form', true, 'cookie'), ['true']],
  [[], parameter(list, 'form', true), undefined],
  [[1, {}], parameter(list, 'form', true), undefined],
  [[1], parameter({ type: 'string' }, 'form', true), undefined],
  [{ a: 1 }, parameter({ type: 'object' }, 'form', true), undefined],
  [null, parameter({ type: 'string' }, 'form', true), undefined],
  ['a', parameter({ type: 'string' }, 'simple', false), undefined],
  ['a', parameter({ type: 'string' }, 'form', false, 'path'), undefined],
  ['a', parameter({ type: 'string' }, 'form', false, 'header'), undefined],
  ['a', parameter({ type: 'string' }, 'label', false, 'path'), undefined],
])('the texts that a parameter is sent as: %j with %j', (value, sent, texts) => {
  expect(textsOfParameter(sent, value)).toEqual(texts);
});
