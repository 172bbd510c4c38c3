from millrace_worker.zygote import main

main()
