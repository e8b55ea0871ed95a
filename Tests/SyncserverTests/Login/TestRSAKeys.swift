#if Server
    /// An RSA key pair with 2048 bits, and a public key with 1024. They were made once with `openssl genpkey` for
    /// these tests, and nothing else trusts them.
    enum TestRSAKeys {
        /// The private key.
        static let privateKey = """
            -----BEGIN PRIVATE KEY-----
            MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQDCvbxRBlztl0rr
            4aVGwTeY6m9RtHvt5QHyI3NQsYg4YOxOC9VEV1m5IytAvJT6EQSFAwevEu5x00UC
            H1Z9+cFDXki4f8iKfMlSHttSZkZzADXa2qHBpk36L9RfaQAAzf9ccc6frF7CxZvQ
            sBcY+7Fv7xI13WxikGKMro1byDZkSviOQv9tl2dVykN7AExIjrS5/H6OUT79h8RN
            OPnNYWb1gWJHMzAVKNPuoh7F+x5kZDKJ9Vb/IVofn8S+N7R808IVb/mVsGOKbxAb
            msehWEava+ZyT0+5OB9d4AVj29mRcYr+cPr3mvz+Uc/6RoywP8EDmuQXigJSiqsF
            DahuWXOlAgMBAAECgf9YDPHYsMfTpVR60sun8jTxLw6mIrTmG2WF1gGNurecxjYS
            E8eZ3uTykLQ90QaLCqbAfV48CpNFZAEPtJum2gZIL5kx0pUaCNH+D3WbDCNOXAn9
            qlz48fjP5lBf01ntAzcy1UJXb9houHB7KyNGaIcR1UamlDctWZs1gLbpiN0O+wzD
            IVYzjDa4EmVzp3yLsqoBUrSZks9iyEUGNBN0f52fYkJ7Ek4+QbQE/iMsT/SUjWGY
            eh1SZkGJp6N6MwHa+bm51nODGz08ggUGfV6tDQBoIfwI61+YU+pl1z2xY3M+D6ua
            Wxe0iU/LGbkBY8eI4szTqpJOCfdyD3msFiAgi1kCgYEA6jMkZWZ3Q5ttZVs7Wckv
            3B+wV18mw7mA372PQ+aMSpfQw9qS+qhOt3oFTbq832ZnLqlegHyXDuFIwC+65ocV
            0x30U9XOuRVK412Npaz+kSQji0UKw9MDdC2x942K4QPhYs8MS6Eiz7UEuR67Pcx+
            TORdlVodSUnsNG2rbuRyBjkCgYEA1N5QsrqGneKlmPUVQazaycccsHpMaI53V/7b
            zeEjd+HWejs8mnc4ObPDugH0bJGZk07u1vRo8lzyjNWekQS1dfxRyXfgAQ9pRqfp
            +lS7vEXe/V0H7bu9NyE8rQCavsKeLD7RLUR9qyy+ZsvQWHTOiTcW1A51haWWWDgl
            TGseOM0CgYB0rSnywoukSOjFWCBHaO3JEph9zs+3LtG/peacA13dQ6kkCd6zteoR
            il7eDKxP9+pr2sFT7b4sEZx28tCATMhYt1Gj+p7UooD+qPsKkRb6JDD5D1p/mL7d
            wG4rUH7h/1boLRKJEywOorZJq7/I1/oMQLFG2PBCNOvSati/lFwiMQKBgQC9EeGX
            fjlHTyJK45THyqJiCmqfDWGElNXH4OSWztvUBVGdK7Q+dpoIFnVIZ6gULpa70qYt
            YtU8P/ZnxO2cXRRYAY8bZVAfYPLfARG/eTdumJjhbZo3PENqDil4eEr6GJ6pKfpd
            PLJqMcnEQE+D4ev40GeEXntgA52wKd5nK9WiGQKBgQCrXY1I2XePPS0EOjXroxjW
            PHs8dsk+bCI1MskeK+RWkRZLvVQCosT8CKmQPSIJYcM1rVY/xv1F2BqjJBeX4HU+
            3jg1b8gFYqjlsqTwm7bRn00zuA4FoPm3AAME6pAOaaCV3EOz2bBdSLjF9DV9+4A3
            IQ+MmUr8/YzQshPKMER6dQ==
            -----END PRIVATE KEY-----

            """
        /// The public key as it is published elsewhere.
        static let publicKey = """
            -----BEGIN PUBLIC KEY-----
            MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwr28UQZc7ZdK6+GlRsE3
            mOpvUbR77eUB8iNzULGIOGDsTgvVRFdZuSMrQLyU+hEEhQMHrxLucdNFAh9WffnB
            Q15IuH/IinzJUh7bUmZGcwA12tqhwaZN+i/UX2kAAM3/XHHOn6xewsWb0LAXGPux
            b+8SNd1sYpBijK6NW8g2ZEr4jkL/bZdnVcpDewBMSI60ufx+jlE+/YfETTj5zWFm
            9YFiRzMwFSjT7qIexfseZGQyifVW/yFaH5/Evje0fNPCFW/5lbBjim8QG5rHoVhG
            r2vmck9PuTgfXeAFY9vZkXGK/nD695r8/lHP+kaMsD/BA5rkF4oCUoqrBQ2obllz
            pQIDAQAB
            -----END PUBLIC KEY-----

            """
        /// The modulus of the public key, as in a key set.
        static let modulus =
            "wr28UQZc7ZdK6-GlRsE3mOpvUbR77eUB8iNzULGIOGDsTgvVRFdZuSMrQLyU-hEEhQMHrxLucdNFAh9W"
            + "ffnBQ15IuH_IinzJUh7bUmZGcwA12tqhwaZN-i_UX2kAAM3_XHHOn6xewsWb0LAXGPuxb-8SNd1sYpBi"
            + "jK6NW8g2ZEr4jkL_bZdnVcpDewBMSI60ufx-jlE-_YfETTj5zWFm9YFiRzMwFSjT7qIexfseZGQyifVW"
            + "_yFaH5_Evje0fNPCFW_5lbBjim8QG5rHoVhGr2vmck9PuTgfXeAFY9vZkXGK_nD695r8_lHP-kaMsD_B"
            + "A5rkF4oCUoqrBQ2obllzpQ"
        /// The modulus of a key that is too short to be trusted.
        static let weakModulus =
            "t6u2zmbLTEFQCLrP8k3R270A2LsoVuETMJmHJPvQ7g3JXbcnBlLPMFn50SKGv99E32Jqb0-P0F1WwDWW"
            + "7tvJ6s5BYWTQDRruoYLN1SR5C3VoTpaHBMkPvJnRv6PMoz1uuVNN4jmytiOmWn0_YOFRAATm_EEeqVGT"
            + "e6znrlLhvOE"
    }
#endif
