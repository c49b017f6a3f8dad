import express from 'express'
import { describeAdapter } from './adapter.js'
import { serveExpress } from './express-app.js'

describeAdapter('Express 5', serveExpress(express))
