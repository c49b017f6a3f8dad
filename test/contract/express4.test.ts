import type express from 'express'
import express4 from 'express4'
import { describeAdapter } from './adapter.js'
import { serveExpress } from './express-app.js'

// The application is written once, against the types of version 5.
describeAdapter('Express 4', serveExpress(express4 as unknown as typeof express))
