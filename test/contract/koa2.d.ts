// Koa 2 as a program of version 3 sees it.
declare module 'koa2' {
  export { default } from 'koa'
}
