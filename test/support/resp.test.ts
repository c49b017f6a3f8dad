import { describe, expect, it } from 'vitest'
import { encodeCommand, parseReply } from './resp.js'

describe('encodeCommand', () => {
  it('counts bytes, not characters, and leaves buffers as they are', () => {
    const bytes = encodeCommand(['SET', 'é', Buffer.from([0, 255])])
    expect(bytes.toString('latin1')).toBe('*3\r\n$3\r\nSET\r\n$2\r\n\xc3\xa9\r\n$2\r\n\x00\xff\r\n')
  })
})

describe('parseReply', () => {
  const whole = Buffer.from('*5\r\n+OK\r\n:-7\r\n$4\r\na\r\nb\r\n$-1\r\n*2\r\n*-1\r\n*0\r\n')

  it('reads strings, integers, nil and nested arrays', () => {
    const reply = ['OK', -7, 'a\r\nb', null, [null, []]]
    expect(parseReply(whole)).toEqual({ reply, end: whole.length })
  })

  it('asks for more as long as a byte is missing', () => {
    for (let length = 0; length < whole.length; length++) {
      expect(parseReply(whole.subarray(0, length))).toBeUndefined()
    }
  })

  it('leaves the bytes of the next reply alone', () => {
    expect(parseReply(Buffer.from('+OK\r\n:1\r\n'))).toEqual({ reply: 'OK', end: 5 })
  })

  it('throws what the server says, and on bytes of another protocol', () => {
    expect(() => parseReply(Buffer.from('-NOSCRIPT No such script\r\n'))).toThrow(/^NOSCRIPT No such script$/)
    expect(() => parseReply(Buffer.from('HTTP/1.1 400 Bad Request\r\n'))).toThrow('Not a RESP2 reply')
  })
})
